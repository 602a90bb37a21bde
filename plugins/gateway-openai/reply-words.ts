import { describeMedia, type TurnResult } from "@gantry/sdk";

/** Returns the reply, and a line for each file that was handed over: the formats have no other place. */
export function wordsOf({ reply, files = [] }: TurnResult): string {
  const lines = files.map(describeMedia).join("\n");
  return [reply, lines].filter((text) => text !== "").join("\n\n");
}
