import { defineErrors, usage } from "@gantry/sdk";

export const errors = defineErrors({
  PII_BAD_PATTERN: usage(
    "security.pii_patterns holds `%s`, which cannot be used (%s): write a regular expression without look-around or back-references.",
  ),
});
