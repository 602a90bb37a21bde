import { defineErrors, policy } from "@gantry/sdk";

export const errors = defineErrors({
  METRICS_REMOTE: policy(
    "metrics.open serves this machine alone: ask from it, or set metrics.open to false and send a token.",
  ),
});
