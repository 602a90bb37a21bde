import type { Database } from "./database.ts";
import type { Sql } from "./sql.ts";

/** The machine's clock, by which every process on the file goes. */
export interface MachineClock {
  /** Unix ms. */
  now(): number;
  /** Milliseconds since the machine started, the same for all its processes; nobody sets it. */
  steady(): number;
}

export const machineClock: MachineClock = {
  now: () => Date.now(),
  steady: () => Number(process.hrtime.bigint() / 1_000n) / 1_000,
};

/** The difference up to which the clock does not count as set. */
const toleranceMs = 2_000;

/**
 * The lanes' clock. One that was set ends no lease and lets nobody wait longer: the times in the
 * file move with it.
 */
export class LaneClock {
  readonly #db: Database;
  readonly #clock: MachineClock;
  readonly #onSet: (ms: number) => void;
  #offset: number;

  constructor(db: Database, clock: MachineClock, onSet: (ms: number) => void) {
    this.#db = db;
    this.#clock = clock;
    this.#onSet = onSet;
    this.#offset = offsetOf(clock);
  }

  /** Unix ms, in whole ones. */
  now(): number {
    return Math.floor(this.#clock.now());
  }

  /**
   * Does `work` once the times in the file go by the clock as it is now. A machine that slept shows
   * as a clock set forward.
   */
  async whenRight<T>(work: () => Promise<T>): Promise<T> {
    const offset = offsetOf(this.#clock);
    const step = Math.round(offset - this.#offset);
    if (Math.abs(step) < toleranceMs) return work();
    const isFirst = await this.#db.write((sql) => moveOnce(sql, offset, step));
    this.#offset = offset;
    if (isFirst) this.#onSet(step);
    return work();
  }
}

function offsetOf(clock: MachineClock): number {
  return clock.now() - clock.steady();
}

/** Returns false if another process has moved them already. */
function moveOnce(sql: Sql, offset: number, ms: number): boolean {
  const kept = sql.get<{ offset: number }>("SELECT offset FROM clock");
  if (kept && Math.abs(kept.offset - offset) < toleranceMs) return false;
  sql.run("INSERT OR REPLACE INTO clock (id, offset) VALUES (1, ?)", Math.round(offset));
  sql.run("UPDATE inbox SET accepted = accepted + ?, tried = tried + ? WHERE state = 0", ms, ms);
  sql.run(`UPDATE lanes SET ${["due", "ready", "until"].map(moved).join(", ")}`, ms, ms, ms);
  return true;
}

/** A time that was set moves; 0 is none. */
function moved(column: string): string {
  return `${column} = iif(${column} > 0, max(1, ${column} + ?), 0)`;
}
