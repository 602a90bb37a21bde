import type { Lanes } from "./lanes.ts";
import type { ChatMessage } from "./provider.ts";
import { one } from "./slot.ts";

export interface SessionSummary {
  readonly id: string;
  readonly turns: number;
  /** ISO 8601. */
  readonly updated: string;
}

/** Conversations, kept in whole turns, so that a call is never without its result. */
export interface Sessions {
  append(session: string, turn: readonly ChatMessage[]): Promise<void>;
  /** The last `turns` turns, oldest message first. */
  recent(session: string, turns: number): Promise<readonly ChatMessage[]>;
  list(limit: number): Promise<readonly SessionSummary[]>;
  remove(session: string): Promise<boolean>;
}

export interface MemoryEntry {
  readonly id: string;
  readonly text: string;
  /** ISO 8601. */
  readonly created: string;
}

/** What the agent remembers, by user. */
export interface Memory {
  remember(user: string, text: string): Promise<MemoryEntry>;
  /** Full text, best first. Any text is a valid query. */
  recall(user: string, query: string, limit: number): Promise<readonly MemoryEntry[]>;
  forget(user: string, id: string): Promise<boolean>;
  /** Drops what is older than `before` (Unix ms) and the oldest beyond `maxEntries` in all; gives how many. */
  prune(before: number, maxEntries: number): Promise<number>;
  count(): Promise<number>;
}

/** A sliding window: at most `max` hits in any `ms` milliseconds. */
export interface Window {
  readonly ms: number;
  readonly max: number;
}

export interface Limits {
  /** Counts one hit where all windows have room, and nothing otherwise; `retryAt` (Unix ms) is when there will be room. */
  hit(
    key: string,
    windows: readonly Window[],
    now: number,
  ): Promise<
    { readonly ok: true } | { readonly ok: false; readonly window: Window; readonly retryAt: number }
  >;
  /** Hits in the last `ms` milliseconds. */
  count(key: string, ms: number, now: number): Promise<number>;
}

/** Small named values with an end: tokens, codes, cool-downs, caches. Values are JSON. */
export interface Values {
  get<T>(space: string, key: string): Promise<T | undefined>;
  /** `expires`: Unix ms; undefined: never. */
  put(space: string, key: string, value: unknown, expires?: number): Promise<void>;
  /** Puts only where there is nothing; false otherwise. */
  add(space: string, key: string, value: unknown, expires?: number): Promise<boolean>;
  /** Gives the value and removes it, to one caller only. */
  take<T>(space: string, key: string): Promise<T | undefined>;
  remove(space: string, key: string): Promise<boolean>;
  list<T>(space: string): Promise<readonly { readonly key: string; readonly value: T }[]>;
}

/** Everything that must survive a restart or be shared by nodes. Every promise means: it is on disk. */
export interface Store {
  readonly sessions: Sessions;
  readonly memory: Memory;
  readonly lanes: Lanes;
  readonly limits: Limits;
  readonly values: Values;
}
export const Store = one<Store>("store");
