import { dirname, join } from "node:path";
import type { Media, Store } from "@gantry/sdk";
import { Database } from "./database.ts";
import { erase } from "./erase.ts";
import { createLanes } from "./lanes.ts";
import { createLimits } from "./limits.ts";
import { createMedia } from "./media.ts";
import { createMemory } from "./memory.ts";
import { createSessions } from "./sessions.ts";
import { createUsage } from "./usage.ts";
import { createValues } from "./values.ts";

export interface OpenedStore {
  readonly store: Store;
  readonly media: Media;
  readonly db: Database;
  close(): Promise<void>;
}

/** A store in one file, opened on first use; media lie in a folder beside it. */
export function createStore(path: string, sessionsMs?: number): OpenedStore {
  const db = new Database(path, sessionsMs);
  const lanes = createLanes(db);
  const { dropUnused, ...media } = createMedia(db, join(dirname(path), "media"));
  return {
    db,
    media,
    store: {
      sessions: createSessions(db, dropUnused),
      memory: createMemory(db),
      lanes,
      limits: createLimits(db),
      values: createValues(db),
      usage: createUsage(db),
      async erase(user) {
        const erased = await db.commit((sql) => erase(sql, user));
        await dropUnused();
        return erased;
      },
    },
    async close() {
      await db.close();
      lanes.close();
    },
  };
}
