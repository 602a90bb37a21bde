import type { StopReason } from "../models/provider.ts";
import type { TurnResult } from "../turns/turn.ts";

const notes: Partial<Record<StopReason, string>> = {
  MaxTokens:
    "The answer was cut off at its longest: ask for the rest, or raise max_output_tokens of the provider.",
  ContentFilter:
    "The provider's content filter ended the answer: say it in another way, or ask another model.",
};

/**
 * Returns the words for a person about an answer that did not end by itself, or has no text;
 * undefined for any other.
 */
export function stopNote(
  result: Pick<TurnResult, "reply" | "stop_reason" | "error" | "files">,
): string | undefined {
  const { reply, stop_reason, error, files = [] } = result;
  const isEmpty = reply.trim() === "" && files.length === 0 && !error;
  return notes[stop_reason] ?? (isEmpty ? noText(stop_reason) : undefined);
}

/** Returns the reply with that note behind it; if there is no text, how the model ended instead. */
export function notedReply(result: Pick<TurnResult, "reply" | "stop_reason" | "files">): string {
  const { reply, stop_reason, files = [] } = result;
  if (reply.trim() === "") return files.length > 0 ? "" : noText(stop_reason);
  const note = notes[stop_reason];
  return note === undefined ? reply : `${reply}\n\n[${note}]`;
}

function noText(stop: StopReason): string {
  return `The model ended without an answer (${stop}): please ask again, in other words.`;
}
