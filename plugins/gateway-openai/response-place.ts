import type { ChatMessage } from "@gantry/sdk";
import type { Sessions } from "@gantry/sdk/fill";
import { sessionOf, type FoundResponse, type KeptResponses } from "./kept-responses.ts";

/** More than any conversation has. */
const allTurns = 100_000;

/** The place in which a response's turn is kept, and the history that its model is shown. */
export interface Place {
  readonly session: string;
  /** Stands in place of what the session has; undefined for that. */
  readonly history?: readonly ChatMessage[];
  /** Messages that come to stand before the turn. */
  readonly before: readonly ChatMessage[];
  /** The turn that is continued in its own session; `before` takes its place unless it is empty. */
  readonly continued?: FoundResponse & { readonly turn: readonly ChatMessage[] };
}

/** Returns what was said up to a response. */
export async function saidUpTo(
  sessions: Sessions,
  { session, response }: FoundResponse,
): Promise<readonly ChatMessage[]> {
  return (await sessions.recent(session, allTurns)).slice(0, response.messages);
}

/** Returns the place of a turn that begins a conversation of its own with this history. */
export function ownPlace(conversation: string, history: readonly ChatMessage[]): Place {
  const session = sessionOf(conversation);
  return { session, before: history, ...(history.length > 0 && { history }) };
}

/** Returns the place behind a response; undefined if another turn has continued it there. */
export async function placeBehind(
  sessions: Sessions,
  kept: KeptResponses,
  found: FoundResponse,
  sent: readonly ChatMessage[],
): Promise<Place | undefined> {
  if (!found.isLast || !(await kept.claim(found))) return undefined;
  const { session } = found;
  const turn = await sessions.recent(session, 1);
  const continued = { ...found, turn };
  if (sent.length === 0) return { session, before: [], continued };
  const { base, turns } = await sessions.view(session, allTurns);
  const history = withAnswers([...base, ...turns.flat()], sent);
  return { session, history, before: withAnswers(turn, sent), continued };
}

/** Returns messages with results in place of what stands for them, and all else behind. */
export function withAnswers(
  past: readonly ChatMessage[],
  sent: readonly ChatMessage[],
): readonly ChatMessage[] {
  const messages = [...past];
  const calls = sent.flatMap((one) => (one.role === "assistant" ? one.toolCalls : []));
  const own = new Set(calls.map(({ id }) => id));
  for (const message of sent) {
    const isAnswer = message.role === "tool" && !own.has(message.callId);
    if (isAnswer) own.add(message.callId);
    const at = isAnswer
      ? messages.findLastIndex((one) => one.role === "tool" && one.callId === message.callId)
      : -1;
    if (at === -1) messages.push(message);
    else messages[at] = message;
  }
  return messages;
}

/** Puts in order what the host has kept of the turn; returns how many messages there are now. */
export async function settleTurn(sessions: Sessions, place: Place): Promise<number> {
  const { session, before, continued } = place;
  const last = await sessions.recent(session, 1);
  const turn = isTurnOf(place, last) ? last : [];
  const earlier = continued?.response.messages ?? 0;
  if (before.length === 0) return earlier + turn.length;

  const { generation, base } = await sessions.view(session, 1);
  if (turn.length > 0) await sessions.rewind(session);
  // A summary that was made meanwhile has the answers already.
  const isPut = !continued || (await sessions.rewind(session));
  if (isPut) await sessions.append(session, before);
  if (!continued && generation > 0) await sessions.compact(session, generation, base);
  await sessions.append(session, turn);
  const added = isPut ? before.length - (continued?.turn.length ?? 0) : 0;
  return earlier + added + turn.length;
}

/** Takes back what the host has kept of a turn that failed. */
export async function undoTurn(sessions: Sessions, kept: KeptResponses, place: Place): Promise<void> {
  const { session, continued } = place;
  if (!continued) {
    await sessions.remove(session);
    return;
  }
  const isKept = isTurnOf(place, await sessions.recent(session, 1));
  // A turn that cannot be taken back is shown to no other turn: the next one begins beside it.
  if (!isKept || (await sessions.rewind(session))) await kept.release(continued);
}

/** Returns true for a turn that came after the one that is continued. */
function isTurnOf({ continued }: Place, last: readonly ChatMessage[]): boolean {
  return JSON.stringify(last) !== JSON.stringify(continued?.turn ?? []);
}
