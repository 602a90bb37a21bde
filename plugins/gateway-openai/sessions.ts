import { textOf, type ChatMessage, type Part, type RouteRequest } from "@gantry/sdk";
import type { Sessions } from "@gantry/sdk/fill";
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

/** Returns the name of the client's conversation; undefined if nothing names it. */
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
 * Returns the history that the model is shown: undefined for the one that is kept here, if it is
 * the one that the client knows; if not, the client's own, so that an edited or regenerated message
 * is never answered from another past.
 */
export async function historyFor(
  sessions: Sessions | undefined,
  session: string,
  { remembers }: SessionKey,
  sent: SentConversation,
): Promise<readonly ChatMessage[] | undefined> {
  if (remembers && sent.history.length === 0) return undefined;
  const kept = exchanges((await sessions?.recent(session, allTurns)) ?? []);
  const known = exchanges(sent.history);
  const isSame = kept.length === known.length && kept.every((one, i) => isShown(one, known[i] as Exchange));
  return isSame ? undefined : sent.history;
}

/** One person's words, and every text that answered them. */
interface Exchange {
  readonly asked: readonly Part[];
  readonly answers: readonly string[];
}

function exchanges(messages: readonly ChatMessage[]): readonly Exchange[] {
  const found: { asked: readonly Part[]; answers: string[] }[] = [];
  for (const { role, parts } of messages) {
    if (role === "user") found.push({ asked: parts, answers: [] });
    else if (role === "assistant" && parts.length > 0) found.at(-1)?.answers.push(textOf(parts));
  }
  return found;
}

/**
 * Returns true if the client shows this very exchange. What we note stands before the person's
 * words; answers beside calls run on.
 */
function isShown(kept: Exchange, known: Exchange): boolean {
  const words = kept.asked.slice(-known.asked.length);
  const asKnown = known.answers.join("");
  const { answers } = kept;
  const shown = [answers.at(-1) ?? "", answers.join(""), answers.join("\n\n")];
  return JSON.stringify(words) === JSON.stringify(known.asked) && shown.includes(asKnown);
}
