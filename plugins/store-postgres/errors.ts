import { defineErrors, errors as shared, failed, GantryError, usage } from "@gantry/sdk";

export const errors = defineErrors({
  STORE_LAYOUT: usage(
    "The store in %s has layout %s and this release needs %s, and store.migrate is false: run `gantry store migrate`.",
  ),
  NODE_UNKNOWN: usage("No node is named %s: name one of `gantry nodes list`."),
  NODE_NAME_TAKEN: usage("Another node named %s serves from this store: give this one another `node.name`."),
  STORE_NO_URL: usage("store.url is missing: write the address of the database, as in `%s`."),
  STORE_SERVER_OLD: failed("%s is a server of release %s: install PostgreSQL 14 or newer."),
});

const databaseRow = failed(
  "The store %s failed: %s: check that its server runs, that store.url leads to it and that its disk has room.",
);

/** Returns the STORE_FAILED of a server, which has another cure than that of a file. */
export function databaseFailed(shown: string, why: string): GantryError {
  return new GantryError(shared.STORE_FAILED.code, databaseRow, [shown, why]);
}
