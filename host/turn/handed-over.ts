import { filesForPerson, type Awaitable, type MediaRef, type Part } from "@gantry/sdk";
import { after, together } from "@gantry/sdk/node";
import type { Redaction } from "../record/redaction.ts";

/** Returns what a result hands to the person, as they are shown it. */
export function handedOver(
  parts: readonly Part[] = [],
  redaction: Redaction,
): Awaitable<readonly MediaRef[]> {
  return together(
    filesForPerson(parts).map(({ name, alt, ...file }) => {
      const words = { ...(name !== undefined && { name }), ...(alt !== undefined && { alt }) };
      return after(redaction.value(words), (shown): MediaRef => ({ ...file, ...shown }));
    }),
  );
}
