import { defineErrors, policy } from "@gantry/sdk";

export const errors = defineErrors({
  FLOW_MET: policy(
    "%s leads out (%s), and this conversation holds both material from outside (%s) and private data (%s), which could leave with it; a new conversation holds neither.",
  ),
  FLOW_SHARED: policy(
    "%s brings in %s, where everybody in this group reads the answer, and this conversation holds material from outside (%s), which could have private data (%s) told to all; ask in a direct chat, where you alone read.",
  ),
});
