import { filesForPerson, type MediaRef, type Part } from "@gantry/sdk";
import type { Redaction } from "../record/redaction.ts";

/** Returns what a result hands to the person, as they are shown it. */
export function handedOver(parts: readonly Part[] = [], redaction: Redaction): readonly MediaRef[] {
  return filesForPerson(parts).map((file) => {
    const { name, alt } = file;
    return {
      ...file,
      ...(name !== undefined && { name: redaction.text(name) }),
      ...(alt !== undefined && { alt: redaction.text(alt) }),
    };
  });
}
