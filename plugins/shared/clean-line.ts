import { stripVTControlCharacters } from "node:util";
import type { Redactor } from "@gantry/sdk/fill";

/**
 * Returns what makes one line of a text, without secrets and control characters. A redactor that
 * fails hides the text.
 */
export function cleaner(redactors: readonly Redactor[]): (text: string) => Promise<string> {
  return async (text) => {
    try {
      let redacted = text;
      for (const redactor of redactors) redacted = await redactor.redact(redacted);
      return stripVTControlCharacters(redacted)
        .replace(/[\s\p{C}]+/gu, " ")
        .trim();
    } catch {
      return "(hidden: it could not be redacted)";
    }
  };
}
