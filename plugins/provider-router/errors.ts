import { defineErrors, failed } from "@gantry/sdk";

export const errors = defineErrors({
  ROUTER_COOLING: failed(
    "%s kept failing and is left alone until %s (last: %s): wait, fix it, or set reliability.fallback_providers.",
  ),
  ROUTER_ALL_FAILED: failed("%s The fallbacks failed too: %s"),
});
