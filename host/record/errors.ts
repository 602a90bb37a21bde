import { defineErrors, errors as shared, policy } from "@gantry/sdk";

/** The codes of what is written down. */
export const recordErrors = defineErrors({
  REDACTION_FAILED: policy("The plugin %s failed to redact the text (%s), so it was not sent."),
});

/** These codes, and those that the host shares with plugins. */
export const errors = Object.freeze({ ...shared, ...recordErrors });
