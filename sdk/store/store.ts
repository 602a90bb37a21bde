import type { Lanes, Lease } from "./lanes.ts";
import type { Memory } from "./memory.ts";
import type { ChatMessage } from "../models/provider.ts";
import { one } from "../contract/slot.ts";
import type { Usage } from "../models/usage.ts";
import { having } from "../contract/shape.ts";

export interface SessionSummary {
  readonly id: string;
  readonly turns: number;
  /** ISO 8601. */
  readonly updated: string;
  /** The person who opened it, as `<channel>:<user id>`; absent if it is not known. */
  readonly owner?: string;
  /** The first words that were said; given by {@link Sessions.page} alone. */
  readonly title?: string;
}

/** Which sessions are read. */
export interface SessionPage {
  readonly limit: number;
  /** Only those behind this one. */
  readonly after?: Pick<SessionSummary, "id" | "updated">;
  /** Only those of this user. */
  readonly owner?: string;
  /** Text in id, owner or words, in letters of any case; at least the newest 2,000 are searched. */
  readonly search?: string;
}

/** The people who may continue a conversation: whoever opened it, and those it was shared with. */
export interface SessionAccess {
  /** `<channel>:<user id>`; undefined if an earlier release kept nothing of that. */
  readonly owner: string | undefined;
  readonly sharedWith: readonly string[];
}

/** The model's view of a session: `base` stands for all turns before it, `turns` came after it. */
export interface SessionView {
  /** The number of times that the session was compacted. */
  readonly generation: number;
  readonly base: readonly ChatMessage[];
  /** Oldest first. */
  readonly turns: readonly (readonly ChatMessage[])[];
}

/** Conversations, kept in whole turns, so that a call is never without its result. */
export interface Sessions {
  /** Returns undefined if there is no such conversation. */
  access(session: string): Promise<SessionAccess | undefined>;
  /** Opens a conversation for `user`, or takes an ownerless one; returns its one owner. */
  open(session: string, user: string): Promise<string>;
  /** Returns false if there is no such conversation. */
  share(session: string, user: string): Promise<boolean>;
  /** Returns false if it was not shared with `user`. */
  unshare(session: string, user: string): Promise<boolean>;
  /** Throws LEASE_LOST, and adds nothing, if `lease` is given and lost. */
  append(session: string, turn: readonly ChatMessage[], lease?: Lease): Promise<void>;
  /**
   * Returns at most `most` turns behind the base. Others are left out in steps ({@link
   * turnsToShow}), so that what is shown begins with the same bytes for many turns.
   */
  view(session: string, most: number): Promise<SessionView>;
  /**
   * Puts `base` in place of all turns kept so far, in one step; people still read them. Returns
   * false if `generation` is past.
   */
  compact(session: string, generation: number, base: readonly ChatMessage[]): Promise<boolean>;
  /** Takes the last turn back. Returns false if there is none, or it stands in the base already. */
  rewind(session: string): Promise<boolean>;
  /** Gives a conversation another id. Returns false if there is none, or `to` is taken. */
  rename(session: string, to: string): Promise<boolean>;
  /** Returns the last `turns` turns, oldest message first, whatever became of them in the view. */
  recent(session: string, turns: number): Promise<readonly ChatMessage[]>;
  /** Returns those with at least one turn, by their last turn, newest first. */
  list(limit: number): Promise<readonly SessionSummary[]>;
  /**
   * Returns the same page by page, with titles; those of one time by their ids, the last first.
   * Absent in stores of earlier releases.
   */
  page?(want: SessionPage): Promise<readonly SessionSummary[]>;
  /** Removes it, also whom it belonged to and whom it was shared with. */
  remove(session: string): Promise<boolean>;
}

/** Returns how many of `count` turns show, at most `most`: they leave in steps of half as many. */
export function turnsToShow(count: number, most: number): number {
  const step = Math.max(1, Math.floor(most / 2));
  return count <= most ? count : count - Math.ceil((count - most) / step) * step;
}

/** A sliding window: at most `max` hits in any `ms` milliseconds. */
export interface Window {
  readonly ms: number;
  readonly max: number;
}

/** Hits are counted by the store's clock. */
export interface Limits {
  /** Counts a hit if all windows have room, else nothing; there will be room in `retryAfterMs`. */
  hit(
    key: string,
    windows: readonly Window[],
  ): Promise<
    { readonly ok: true } | { readonly ok: false; readonly window: Window; readonly retryAfterMs: number }
  >;
  /** Hits in the last `ms` milliseconds. */
  count(key: string, ms: number): Promise<number>;
}

/** The time that a value is kept. */
export interface ValueLife {
  /**
   * Milliseconds from now, by the store's clock; none or less: it is not there. Left out: for ever.
   */
  readonly forMs?: number;
}

export interface ValuePage {
  /** At most so many. */
  readonly limit: number;
  /** Only keys that begin so. */
  readonly prefix?: string;
  /** Only keys behind this one. */
  readonly after?: string;
}

/**
 * Small named values with an end: tokens, codes, cool-downs, caches. Values are JSON. Those of a
 * space whose name begins with `session-` go with the conversation that their key names, once
 * anything was said in it: when it is removed, has had its time, or its person is erased.
 */
export interface Values {
  get<T>(space: string, key: string): Promise<T | undefined>;
  put(space: string, key: string, value: unknown, life?: ValueLife): Promise<void>;
  /** Puts a value only if there is none; returns false otherwise. */
  add(space: string, key: string, value: unknown, life?: ValueLife): Promise<boolean>;
  /** Returns the value and removes it, to one caller only. */
  take<T>(space: string, key: string): Promise<T | undefined>;
  remove(space: string, key: string): Promise<boolean>;
  /** Removes the key only if its value is this one, as JSON has it; returns false otherwise. */
  removeIf(space: string, key: string, value: unknown): Promise<boolean>;
  /** Returns a page in the order of the keys. */
  list<T>(space: string, page: ValuePage): Promise<readonly { readonly key: string; readonly value: T }[]>;
}

const pageOfValues = 500;

/**
 * Reads all values of a space, or those whose keys begin with `prefix`, page by page: for spaces
 * that stay small, such as devices.
 */
export async function listAll<T>(
  values: Pick<Values, "list">,
  space: string,
  prefix: string = "",
): Promise<readonly { readonly key: string; readonly value: T }[]> {
  const all: { readonly key: string; readonly value: T }[] = [];
  for (;;) {
    const last = all.at(-1)?.key;
    const page = await values.list<T>(space, {
      limit: pageOfValues,
      prefix,
      ...(last !== undefined && { after: last }),
    });
    all.push(...page);
    if (page.length < pageOfValues) return all;
  }
}

/** The amount that was removed of one person. */
export interface Erased {
  readonly sessions: number;
  readonly memories: number;
  /** Whatever became of them; those that wait are answered no more. */
  readonly messages: number;
}

/**
 * Everything that must survive a restart or be shared by nodes. Every promise means: it is on disk.
 * A call throws STORE_FAILED or STORE_HELD if it may work when it is tried again; STORE_REFUSED,
 * STORE_NEWER or LEASE_LOST if it never will.
 */
export interface Store {
  readonly sessions: Sessions;
  readonly memory: Memory;
  readonly lanes: Lanes;
  readonly limits: Limits;
  readonly values: Values;
  readonly usage: Usage;
  /** This process's name among those that share the store; left out by a store of one machine. */
  readonly node?: string;
  /**
   * Removes a person (`<channel>:<id>`) in one step: their conversations, memories, messages, and
   * their name in what requests have cost. Media that only these named go with them.
   */
  erase(user: string): Promise<Erased>;
  /**
   * Writes all that is kept, and the files of the configuration directory, into a new file that
   * `gantry restore` takes, closed to others. Left out by a store whose engine is copied by its own
   * programs.
   */
  backup?(file: string): Promise<void>;
}
export const Store = one<Store>("store", (store: Store) => {
  const parts = ["sessions", "memory", "lanes", "limits", "values", "usage"] as const;
  const missing = parts.find((part) => Object(store?.[part]) !== store?.[part]);
  return missing ? `has no ${missing}` : having("erase")(store);
});
