import type { Store } from "@gantry/sdk";
import type { ResponseBounds } from "./deps.ts";
import type { Sent } from "./parameters.ts";
import { conversationIn } from "./response-resource.ts";

/** Goes with its conversation, whether that or its person is removed. */
const space = "session-responses";
/** {@link Used} for each conversation, by token; their names sort by their age. */
const usedSpace = "openai-responses";
/** Responses that a turn of their own conversation has continued. */
const continuedSpace = "openai-continued";

const dayMs = 86_400_000;
/** Most responses of one conversation that can be asked for, and most characters in all. */
const mostKept = 64;
const mostCharacters = 4 * 1024 * 1024;
const removalMs = 10_000;

/** A response that can be asked for again, and continued. */
export interface KeptResponse {
  readonly resource: Sent;
  /** The items that were sent for it. */
  readonly input: readonly Sent[];
  /** The text of system and developer items up to it. */
  readonly system: string;
  /** The number of messages that its conversation had when it was done. */
  readonly messages: number;
}

export interface FoundResponse {
  readonly session: string;
  readonly response: KeptResponse;
  /** No other response of the conversation follows. */
  readonly isLast: boolean;
}

/** Returns the session of a conversation of responses. Without a colon it is its opener's alone. */
export function sessionOf(conversation: string): string {
  return `responses-${conversation}`;
}

/** A conversation as it was last continued; before there was a bound of bytes, the time alone. */
type Used = number | { readonly at: number; readonly bytes: number };

/** The responses of all tokens, each to be found by its own. */
export class KeptResponses {
  readonly #store: Store;
  readonly #lifeMs: number;
  readonly #conversations: number;
  readonly #bytes: number;
  /** The last change of each session that is being changed. */
  readonly #changing = new Map<string, Promise<void>>();
  /** By token, the share of its bounds that was kept since they were last looked at. */
  readonly #begun = new Map<string, number>();

  constructor(store: Store, { days, conversations, bytes }: ResponseBounds) {
    this.#store = store;
    this.#lifeMs = days * dayMs;
    this.#conversations = conversations;
    this.#bytes = bytes;
  }

  /** Returns a response of this token; another's is as unknown as none. */
  async find(id: string, device: string): Promise<FoundResponse | undefined> {
    const conversation = conversationIn(id);
    if (conversation === undefined) return undefined;
    const session = sessionOf(conversation);
    const responses = await this.#of(session);
    const at = responses.findIndex(({ resource }) => resource["id"] === id);
    const response = responses[at];
    if (!response || !(await this.#isTheirs(session, device))) return undefined;
    return { session, response, isLast: at === responses.length - 1 };
  }

  /** Takes the right to continue a response in its own conversation; only one caller gets it. */
  claim({ response }: FoundResponse): Promise<boolean> {
    const { values } = this.#store;
    return values.add(continuedSpace, idOf(response), true, { forMs: this.#lifeMs });
  }

  /** Gives the right back: nothing of the turn is left. */
  async release({ response }: FoundResponse): Promise<void> {
    await this.#store.values.remove(continuedSpace, idOf(response));
  }

  /** Resolves once the response is on disk. */
  async keep(session: string, device: string, response: KeptResponse): Promise<void> {
    let bytes = 0;
    await this.#change(session, (responses) => {
      const kept = newest([...responses, response]);
      bytes = Buffer.byteLength(JSON.stringify(kept));
      return kept;
    });
    const used: Used = { at: Date.now(), bytes };
    await this.#store.values.put(usedSpace, `${device} ${session}`, used);
    await this.#removeOld(device, bytes);
  }

  /** Removes a conversation of which no response is kept. */
  async tidy(session: string, device: string): Promise<void> {
    if ((await this.#of(session)).length === 0) await this.#removeAll(session, device);
  }

  /**
   * Removes a response; false if this token has none of that id. Its words stay only as far as a
   * later response has been answered from them, and go with that.
   */
  async remove(id: string, device: string): Promise<boolean> {
    const found = await this.find(id, device);
    if (!found) return false;
    const { session, isLast } = found;
    // While a turn of the conversation runs, what it needs stays; it tidies up behind itself.
    const { lanes, sessions } = this.#store;
    const lease = await lanes.hold(session, removalMs);
    try {
      await this.#change(session, (all) => all.filter(({ resource }) => resource["id"] !== id));
      if (!lease) return true;
      if (isLast) await sessions.rewind(session);
      await this.tidy(session, device);
    } finally {
      if (lease) await lanes.release(lease);
    }
    return true;
  }

  async #isTheirs(session: string, device: string): Promise<boolean> {
    const user = `openai:${device}`;
    const access = await this.#store.sessions.access(session);
    return access?.owner === user || access?.sharedWith.includes(user) === true;
  }

  async #of(session: string): Promise<readonly KeptResponse[]> {
    return (await this.#store.values.get<readonly KeptResponse[]>(space, session)) ?? [];
  }

  /** Changes what is kept of a conversation, one change after the other. */
  async #change(
    session: string,
    change: (responses: readonly KeptResponse[]) => readonly KeptResponse[],
  ): Promise<void> {
    const { values } = this.#store;
    const before = this.#changing.get(session) ?? Promise.resolve();
    const changed = before
      .catch(() => {})
      .then(async () => {
        const responses = change(await this.#of(session));
        if (responses.length === 0) await values.remove(space, session);
        else await values.put(space, session, responses, { forMs: this.#lifeMs });
      });
    this.#changing.set(session, changed);
    try {
      await changed;
    } finally {
      if (this.#changing.get(session) === changed) this.#changing.delete(session);
    }
  }

  async #removeAll(session: string, device: string): Promise<void> {
    await this.#store.values.remove(space, session);
    await this.#store.sessions.remove(session);
    await this.#store.values.remove(usedSpace, `${device} ${session}`);
  }

  /** Removes conversations beyond their bounds, now and then: the longest unused first. */
  async #removeOld(device: string, more: number): Promise<void> {
    const share = Math.max(1 / this.#conversations, 1 / 1_024, more / this.#bytes);
    const begun = (this.#begun.get(device) ?? 1) + share;
    const isDue = begun >= 1 / 16;
    this.#begun.set(device, isDue ? 0 : begun);
    if (!isDue) return;
    const { values, lanes } = this.#store;
    const prefix = `${device} `;
    const limit = this.#conversations + 256;
    const all = await values.list<Used>(usedSpace, { limit, prefix });
    const used = all.toReversed().map(({ key, value }) => ({ key, ...usedOf(value) }));
    let room = this.#bytes;
    const old = used
      .toSorted((one, other) => other.at - one.at)
      .filter(({ at, bytes }, rank) => {
        room -= bytes;
        return rank >= this.#conversations || room < 0 || at < Date.now() - this.#lifeMs;
      });
    for (const { key } of old) {
      const session = key.slice(prefix.length);
      const lease = await lanes.hold(session, removalMs);
      if (!lease) continue;
      await this.#removeAll(session, device);
      await lanes.release(lease);
    }
  }
}

/** Returns false for a response that is too large to be kept. */
export function fits(response: object): boolean {
  return JSON.stringify(response).length <= mostCharacters;
}

/** Returns the last responses that have room; the very last one in any case. */
function newest(responses: readonly KeptResponse[]): readonly KeptResponse[] {
  let room = mostCharacters;
  const last = responses.slice(-mostKept);
  const first = last.findLastIndex((one) => (room -= JSON.stringify(one).length) < 0);
  return last.slice(Math.min(first + 1, last.length - 1));
}

function usedOf(value: Used): Exclude<Used, number> {
  return typeof value === "number" ? { at: value, bytes: 0 } : value;
}

function idOf({ resource }: KeptResponse): string {
  return String(resource["id"]);
}
