import type { StopReason } from "@gantry/sdk";

const notes: Partial<Record<StopReason, string>> = {
  MaxTokens:
    "The answer was cut off at its longest: ask for the rest, or raise max_output_tokens of the provider.",
  ContentFilter:
    "The provider's content filter ended the answer: say it in another way, or ask another model.",
};

/** What a person is told of an answer that did not end by itself; undefined for any other. */
export function stopNote({ stop_reason }: { readonly stop_reason: StopReason }): string | undefined {
  return notes[stop_reason];
}
