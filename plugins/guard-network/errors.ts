import { defineErrors, policy } from "@gantry/sdk";

export const errors = defineErrors({
  NET_UNSAID: policy(
    "`%s` leads out, to an address that is not written in full (as https://example.com/ is), and no kernel walls hold the network here.",
  ),
});
