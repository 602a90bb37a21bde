import { defineErrors, failed } from "@gantry/sdk";

export const errors = defineErrors({
  STORE_DAMAGED: failed(
    "The store %s is damaged (%s): move it away or put back a copy; it is never replaced by itself.",
  ),
});
