import { textOf, type ChatMessage, type RouteRequest, type Sessions } from "@gantry/sdk";
import type { SentConversation } from "./history.ts";

/** The header of ours: whoever sends it may leave earlier messages to this server. */
const ownHeader = "x-gantry-session";
/** More than any conversation has. */
const allTurns = 100_000;

export interface SessionKey {
  readonly value: string;
  /** The client may send new messages alone. */
  readonly remembers: boolean;
}

/** What names the client's conversation; undefined if nothing does. */
export function sessionKey(
  headers: RouteRequest["headers"],
  names: readonly string[],
  user: string | undefined,
): SessionKey | undefined {
  for (const name of names) {
    const [value] = [headers[name]].flat();
    if (value) return { value: value.slice(0, 200), remembers: name === ownHeader };
  }
  return user === undefined ? undefined : { value: user.slice(0, 200), remembers: false };
}

/**
 * The history that the model is shown: undefined for the one that is kept here, if it is the one that the client knows; else
 * the client's own, so that an edited or regenerated message is never answered from another past.
 */
export async function historyFor(
  sessions: Sessions | undefined,
  session: string,
  { remembers }: SessionKey,
  sent: SentConversation,
): Promise<readonly ChatMessage[] | undefined> {
  if (remembers && sent.history.length === 0) return undefined;
  const kept = spoken((await sessions?.recent(session, allTurns)) ?? []);
  const known = spoken(sent.history);
  const isSame = kept.length === known.length && kept.every((text, i) => text.endsWith(known[i] as string));
  return isSame ? undefined : sent.history;
}

function spoken(messages: readonly ChatMessage[]): readonly string[] {
  return messages.filter(({ role }) => role === "user").map(({ parts }) => textOf(parts));
}
