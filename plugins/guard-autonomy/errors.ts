import { defineErrors, policy } from "@gantry/sdk";

export const errors = defineErrors({
  AUTONOMY_OFF: policy("%s is off: security.%s is false."),
  AUTONOMY_UNKNOWN: policy("%s: it cannot say beforehand what this call touches."),
  AUTONOMY_GUEST: policy(
    '%s is not for guests, whom "*" or a channel without a list of its own lets in: security.guest_tools does not name it.',
  ),
  AUTONOMY_SUPERVISED: policy(
    "%s: agent.autonomy_level is supervised, so a person approves every tool call.",
  ),
  AUTONOMY_LISTED: policy(
    "%s: it stands in security.require_approval_tools, so a person approves each call.",
  ),
  AUTONOMY_UNLISTED: policy("%s: it is not in security.auto_approve_tools, so a person approves each call."),
});
