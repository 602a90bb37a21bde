import type { Media, Store } from "@gantry/sdk";
import type { Erased } from "@gantry/sdk/fill";
import type { DatabaseOptions } from "./connect.ts";
import { Database } from "./database.ts";
import { HeldLeases } from "./held-leases.ts";
import { createLanes } from "./lanes.ts";
import { createLimits } from "./limits.ts";
import { createMedia } from "./media.ts";
import { createMemory } from "./memory.ts";
import { Nodes, type NodesOptions } from "./nodes.ts";
import { createSessions } from "./sessions.ts";
import { stored } from "./text.ts";
import { createUsage } from "./usage.ts";
import { createValues } from "./values.ts";
import { Wakes } from "./wakes.ts";

export interface OpenedStore {
  readonly store: Store;
  readonly media: Media;
  readonly db: Database;
  readonly nodes: Nodes;
  /** Frees what this node holds and ends its connections. */
  close(): Promise<void>;
}

export type StoreOptions = DatabaseOptions & Omit<NodesOptions, "onFreed">;

/** A store in a PostgreSQL database that several nodes share, opened on first use. */
export function createStore(options: StoreOptions): OpenedStore {
  const db = new Database(options);
  const onFreed = (): void => wakes.wakeHere();
  const nodes = new Nodes(db, { ...options, onFreed });
  const wakes = new Wakes(db, nodes.id);
  const { dropUnused, ...media } = createMedia(db);
  return {
    db,
    nodes,
    media,
    store: {
      sessions: createSessions(db, dropUnused),
      memory: createMemory(db),
      lanes: createLanes(db, nodes, wakes, new HeldLeases(db, nodes, options.log)),
      limits: createLimits(db),
      values: createValues(db),
      usage: createUsage(db),
      node: nodes.name,
      async erase(user) {
        const erased = await db.call<Erased>("gantry_erase", { usr: stored(user) });
        await dropUnused();
        return erased;
      },
    },
    async close() {
      try {
        await nodes.leave();
      } finally {
        await wakes.close();
        await db.close();
      }
    },
  };
}
