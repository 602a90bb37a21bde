import type { ChatMessage } from "@gantry/sdk";
import { mediaIn } from "@gantry/sdk/fill";
import { stored } from "./text.ts";

/** Returns what is kept of a turn; nothing of an empty one. */
export function turnRow(session: string, turn: readonly ChatMessage[]): object {
  if (turn.length === 0) return { session: stored(session) };
  const media = mediaIn(turn);
  return {
    session: stored(session),
    turn: JSON.stringify(turn),
    ...(media.length > 0 && { media }),
  };
}
