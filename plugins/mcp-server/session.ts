import { randomUUID } from "node:crypto";
import type { Elicits } from "./questions.ts";

/**
 * The session id of the revisions before 2026-07-28. It is all that is kept of `initialize`, and
 * the client keeps it: its letters tell which questions it can put. It opens nothing, since
 * whatever is looked up by it is looked up for its device.
 */
export function sessionId({ form, url }: Elicits): string {
  return `${randomUUID()}.${form ? "f" : ""}${url ? "u" : ""}`;
}

/** Returns what a session id tells; undefined for words that are not one. */
export function elicitsIn(session: string): Elicits | undefined {
  const [, letters] = /^[0-9a-f-]{36}\.(f?u?)$/.exec(session) ?? [];
  if (letters === undefined) return undefined;
  return { form: letters.includes("f"), url: letters.includes("u") };
}
