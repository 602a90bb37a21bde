import type { Lanes } from "@gantry/sdk/fill";
import type { Database } from "./database.ts";
import { PENDING, DEAD_LETTER, YIELDS } from "./lane-rows.ts";

/** Counts the messages that wait, and names what they wait for. */
export function createCounts(db: Database): Pick<Lanes, "stats" | "waits"> {
  return {
    stats() {
      return db.read((sql) => {
        const count = (text: string): number => sql.get<{ n: number }>(text)!.n;
        const running = count("SELECT count(*) AS n FROM lanes WHERE running = 1");
        const pending = count(`SELECT count(*) AS n FROM inbox WHERE state = ${PENDING}`);
        return {
          waiting: pending - running,
          running,
          deadLetters: count(`SELECT count(*) AS n FROM inbox WHERE state = ${DEAD_LETTER}`),
        };
      });
    },

    async waits() {
      const rows = await db.read((sql) =>
        sql.all<{ waitsFor: string; lanes: number; reason: string; tried: number | null }>(
          `SELECT replace(waits_for, '${YIELDS}', '') AS waitsFor, count(*) AS lanes, reason, max(tried) AS tried FROM lanes
           JOIN inbox ON seq = head WHERE waits_for <> '${YIELDS}' GROUP BY waitsFor ORDER BY waitsFor`,
        ),
      );
      return rows.map(({ waitsFor, lanes, reason }) => ({ waitsFor, lanes, reason }));
    },
  };
}
