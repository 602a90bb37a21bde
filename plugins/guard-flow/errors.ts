import { defineErrors, policy } from "@gantry/sdk";

export const errors = defineErrors({
  FLOW_MET: policy(
    "%s leads out (%s), and this conversation holds both material from outside (%s) and private data (%s), which could leave with it; a new conversation holds neither.",
  ),
});
