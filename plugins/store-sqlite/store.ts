import type { Store } from "@gantry/sdk";
import { Database } from "./database.ts";
import { createLanes } from "./lanes.ts";
import { createLimits } from "./limits.ts";
import { createMemory } from "./memory.ts";
import { createSessions } from "./sessions.ts";
import { createUsage } from "./usage.ts";
import { createValues } from "./values.ts";

/** A store in one file, opened on first use. */
export function createStore(path: string): { readonly store: Store; close(): Promise<void> } {
  const db = new Database(path);
  const lanes = createLanes(db);
  return {
    store: {
      sessions: createSessions(db),
      memory: createMemory(db),
      lanes,
      limits: createLimits(db),
      values: createValues(db),
      usage: createUsage(db),
    },
    async close() {
      await db.close();
      lanes.close();
    },
  };
}
