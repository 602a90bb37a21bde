import { dirname, join } from "node:path";
import type { Media, Store } from "@gantry/sdk";
import { LaneClock, machineClock, type MachineClock } from "./clock.ts";
import { Database } from "./database.ts";
import { erase } from "./erase.ts";
import { createLanes } from "./lanes.ts";
import { createLimits } from "./limits.ts";
import { createMedia } from "./media.ts";
import { createMemory } from "./memory.ts";
import type { PruneOptions } from "./prune.ts";
import { createSessions } from "./sessions.ts";
import { createUsage } from "./usage.ts";
import type { HeldBy } from "./open.ts";
import { createValues } from "./values.ts";

export interface OpenedStore {
  readonly store: Store;
  readonly media: Media;
  readonly db: Database;
  close(): Promise<void>;
}

export interface StoreOptions extends PruneOptions {
  /** Left out: no other process serves from the file. */
  readonly heldBy?: HeldBy;
  readonly clock?: MachineClock;
  /** Called once the times of what waits have moved with a clock that was set, by how many ms. */
  readonly onClockSet?: (ms: number) => void;
}

/** A store in one file, opened on first use; media lie in a folder beside it. */
export function createStore(path: string, options: StoreOptions = {}): OpenedStore {
  const { heldBy, clock = machineClock, onClockSet = () => {} } = options;
  const db = new Database(path, options, heldBy);
  const lanes = createLanes(db, new LaneClock(db, clock, onClockSet));
  const { dropUnused, ...media } = createMedia(db, join(dirname(path), "media"));
  return {
    db,
    media,
    store: {
      sessions: createSessions(db, dropUnused),
      memory: createMemory(db),
      lanes,
      limits: createLimits(db, clock),
      values: createValues(db, clock),
      usage: createUsage(db),
      async erase(user) {
        const erased = await db.commit((sql) => erase(sql, user));
        await dropUnused();
        // The log of the file still tells of what was.
        await db.read((sql) => sql.script("PRAGMA wal_checkpoint(TRUNCATE)"));
        return erased;
      },
    },
    async close() {
      await db.close();
      lanes.close();
    },
  };
}
