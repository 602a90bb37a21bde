import type { UsageRow } from "../../fill.ts";
import type { ValueSpaces } from "../../node/process-values.ts";
import type { Entries } from "./memory.ts";
import type { Hold, Row } from "./rows.ts";
import type { SessionMap } from "./sessions.ts";

/**
 * All that a memory store holds, as plain data in one graph: `serialize` of node:v8 writes it,
 * `deserialize` gives it back.
 */
export interface StoreState {
  readonly sessions: SessionMap;
  readonly memories: { entries: Entries; next: number };
  readonly rows: Row[];
  readonly held: Map<string, Hold>;
  readonly hits: Map<string, number[]>;
  readonly values: ValueSpaces;
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

/** A handle on the state, with a clock of its own, that tells what falls due. */
export interface StoreHandle {
  /** The store's clock, Unix ms; left out: the machine's. */
  readonly now?: () => number;
  /** Its name among the handles on one state. */
  readonly node?: string;
  /** Whom it tells that something fell due; may be shared by handles. */
  readonly listeners?: Set<() => void>;
}

/** Frees what a handle held that is used no more. */
export function endNode(state: StoreState, node: string): void {
  for (const [lane, hold] of state.held) {
    if (hold.node !== node) continue;
    state.held.delete(lane);
    if (hold.row) hold.row.token = undefined;
  }
}
