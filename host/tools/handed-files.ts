import { filesForPerson, mediaBounds, textParts, type Part } from "@gantry/sdk";
import { errors } from "./errors.ts";
import type { CallOutcome } from "./call.ts";
import type { TurnContext } from "./turn-context.ts";

const counts = new WeakMap<TurnContext, number>();

/**
 * Counts what a call hands to the person of its turn. Throws TOOL_MANY_FILES, and counts nothing,
 * if it is more than goes with one answer.
 */
export function countHanded(turn: TurnContext | undefined, tool: string, { parts = [] }: CallOutcome): void {
  const more = filesForPerson(parts).length;
  if (more === 0) return;
  const count = more + ((turn && counts.get(turn)) ?? 0);
  if (count > mediaBounds.perAnswer) throw errors.TOOL_MANY_FILES(tool, mediaBounds.perAnswer);
  if (turn) counts.set(turn, count);
}

/** Returns the outcome of a call with what the calls within it have handed to the person. */
export function withHanded(outcome: CallOutcome, handed: readonly Part[]): CallOutcome {
  if (handed.length === 0) return outcome;
  return { ...outcome, parts: [...(outcome.parts ?? textParts(outcome.text)), ...handed] };
}
