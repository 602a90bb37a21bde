import { describeMedia, type TurnResult } from "@gantry/sdk";

/**
 * Returns the reply, with a line for each file that was handed over: no format has a place for it.
 */
export function wordsOf({ reply, files = [] }: TurnResult): string {
  const lines = files.map(describeMedia).join("\n");
  return [reply, lines].filter((text) => text !== "").join("\n\n");
}
