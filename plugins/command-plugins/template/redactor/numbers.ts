import type { Redactor } from "@gantry/sdk/fill";

/** A number has 9 characters, so 8 of them may stand at the end of one piece of a stream. */
export function createRedactor(): Redactor {
  return {
    name: "example",
    holdBack: 8,
    redact: (text) => text.replaceAll(/\bB-\d{7}\b/g, "[badge]"),
  };
}
