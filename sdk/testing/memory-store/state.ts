import type { UsageRow } from "../../index.ts";
import type { Entries } from "./memory.ts";
import type { Hold, Row } from "./rows.ts";
import type { SessionMap } from "./sessions.ts";

/** All that a memory store holds, as plain data in one graph: `serialize` of node:v8 writes it, `deserialize` gives it back. */
export interface StoreState {
  readonly sessions: SessionMap;
  readonly memories: { entries: Entries; next: number };
  readonly rows: Row[];
  readonly held: Map<string, Hold>;
  readonly hits: Map<string, number[]>;
  readonly values: Map<string, Map<string, { value: unknown; expires: number }>>;
  readonly costs: UsageRow[];
}

export function emptyStoreState(): StoreState {
  return {
    sessions: new Map(),
    memories: { entries: [], next: 1 },
    rows: [],
    held: new Map(),
    hits: new Map(),
    values: new Map(),
    costs: [],
  };
}
