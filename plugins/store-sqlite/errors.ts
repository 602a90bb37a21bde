import { defineErrors, failed } from "@gantry/sdk";

export const errors = defineErrors({
  STORE_DAMAGED: failed(
    "The store %s is damaged (%s): move it away or put back a copy; it is never replaced by itself.",
  ),
  STORE_REMOVED: failed(
    "The store %s was removed or replaced while it was in use, so nothing more is taken: put it back and start the service again.",
  ),
});
