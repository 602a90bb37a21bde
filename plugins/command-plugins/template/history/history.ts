import type { ChatMessage, FittedHistory, HistoryRequest } from "@gantry/sdk";

/** The last messages of what came before, from a person's words on, so that no call loses its result. */
export function lastOf(earlier: readonly ChatMessage[], most: number): readonly ChatMessage[] {
  const from = earlier.findIndex(({ role }, at) => role === "user" && at >= earlier.length - most);
  return from === -1 ? [] : earlier.slice(from);
}

/**
 * What the model is sent in place of all that was said. Twice as much may gather before the old part is left out in one
 * step: every change costs the provider's cache of all behind it. Undefined: it stays as it is.
 */
export function fit(
  { earlier, current, reason }: Pick<HistoryRequest, "earlier" | "current" | "reason">,
  most: number,
): FittedHistory | undefined {
  // "overflow" and "asked" want it shorter than it is, however short that may be.
  if (reason === "request" && earlier.length <= 2 * most) return undefined;
  const kept = lastOf(earlier, reason === "request" ? most : Math.min(most, Math.floor(earlier.length / 2)));
  return kept.length < earlier.length ? { earlier: kept, current } : undefined;
}
