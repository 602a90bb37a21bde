import { defineErrors, failed, usage } from "@gantry/sdk";

export const errors = defineErrors({
  STORE_LAYOUT: usage(
    "The store in %s has layout %s and this release needs %s, and store.migrate is false: run `gantry store migrate`.",
  ),
  NODE_UNKNOWN: usage("No node is named %s: name one of `gantry nodes list`."),
  STORE_NO_URL: usage("store.url is missing: write the address of the database, as in `%s`."),
  STORE_SERVER_OLD: failed("%s is a server of release %s: install PostgreSQL 14 or newer."),
});
