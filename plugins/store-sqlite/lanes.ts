import { errors as shared } from "@gantry/sdk";
import { laneOf, type Lanes } from "@gantry/sdk/fill";
import type { LaneClock } from "./clock.ts";
import type { Database } from "./database.ts";
import { createHeld } from "./held-lanes.ts";
import { createCounts } from "./lane-counts.ts";
import { createKept } from "./kept-messages.ts";
import {
  claimOf,
  endedBy,
  forget,
  free,
  insert,
  insertNotice,
  moveOn,
  newToken,
  DEAD_LETTER,
  YIELDS,
  mayBeDue,
  take,
  type ClaimedRow,
} from "./lane-rows.ts";
import { useMedia } from "./media-rows.ts";
import { closed, lives, openedName } from "./process.ts";
import { appendTurn } from "./sessions.ts";
import { stepOver } from "./step-over.ts";

const WAIT = "UPDATE lanes SET due = ?, waits_for = ? WHERE lane = ?";
/** Beyond all counts of how often a message was begun. */
const anyNumber = Number.MAX_SAFE_INTEGER;

/**
 * `inbox` holds the messages, `lanes` a row for every lane that waits or is held: its first
 * message, and when it may be taken. `ready` is 0 for a lane that is free now, so that the oldest
 * is found without walking past those that are not. `lanes.holder` is the token of who has it,
 * `inbox.token` that of the last claim, so that a call which is repeated after its end is told from
 * a late one. Claims, renewals and holds are not synced: whoever held them is gone with the power.
 */
export function createLanes(db: Database, clock: LaneClock): Lanes & { close(): void } {
  let name: string | undefined;
  const own = (): string => (name ??= openedName());
  const listeners = new Set<() => void>();
  const due = <T>(value: T): T => {
    for (const wake of listeners) wake();
    return value;
  };

  return {
    async accept(messages, bounds) {
      if (messages.length === 0) return [];
      const accepted = () => db.commit((sql) => messages.map((one) => insert(sql, one, clock.now(), bounds)));
      const all = await clock.whenRight(accepted);
      return all.includes("accepted") ? due(all) : all;
    },
    async post(notice) {
      const kept = () => db.commit((sql) => insertNotice(sql, notice, clock.now()));
      return (await clock.whenRight(kept)) && due(true);
    },

    claim(max, leaseMs, { begunBelow = anyNumber } = {}) {
      const claimed = async () => {
        // Most looks find nothing, which takes no write lock.
        if (!(await db.read((sql) => mayBeDue(sql, clock.now())))) return [];
        return db.write((sql) => {
          const now = clock.now();
          sql.run("UPDATE lanes SET ready = 0 WHERE ready > 0 AND ready <= ?", now);
          const free = sql.all<{ lane: string; head: number }>(
            `SELECT lanes.lane, head FROM lanes JOIN inbox ON seq = head
             WHERE ready = 0 AND head IS NOT NULL AND begun < ? ORDER BY head LIMIT ?`,
            begunBelow,
            Math.max(0, max),
          );
          return free.map(({ lane, head }) => {
            const token = newToken();
            take(sql, lane, token, own(), now + leaseMs, 1);
            const row = sql.get<ClaimedRow>(
              `UPDATE inbox SET attempt = attempt + 1, begun = begun + 1, token = ? WHERE seq = ?
               RETURNING seq, lane, message, attempt, begun, failures, accepted, tried, reply, files, notice`,
              token,
              head,
            )!;
            return claimOf(row, token, now);
          });
        });
      };
      return clock.whenRight(claimed);
    },

    ...createHeld(db, clock),

    answer(claim, reply, session, turn, files = []) {
      return db.commit((sql) => {
        const { number, token, message } = claim;
        const before = sql.get<{ reply: string | null; token: string | null }>(
          "SELECT reply, token FROM inbox WHERE seq = ?",
          number,
        );
        if (before?.token === token && before.reply === reply) return;
        if (endedBy(sql, claim) || before?.reply !== null) throw shared.LEASE_LOST(laneOf(message));
        const kept = files.length > 0 ? JSON.stringify(files) : null;
        const text = "UPDATE inbox SET reply = ?, files = ?, begun = 1, failures = 0 WHERE seq = ?";
        sql.run(text, reply, kept, number);
        useMedia(sql, `m:${number}`, [...new Set(files.map(({ id }) => id))]);
        appendTurn(sql, session, turn, laneOf(message));
      });
    },

    ack(claim) {
      // A confirmed message that is not noted when the process dies is sent again.
      return db.commitNow((sql) => {
        if (endedBy(sql, claim)) return;
        forget(sql, claim.number);
        moveOn(sql, claim.lane);
      });
    },

    async retry(claim, { afterMs, reason, waitsFor, tried = false, counts = false, yields = false }) {
      const kept = () =>
        db.commit((sql) => {
          if (endedBy(sql, claim)) return;
          const now = clock.now();
          sql.run(
            "UPDATE inbox SET reason = ?, begun = 0, failures = failures + ?, tried = ifnull(?, tried) WHERE seq = ?",
            reason,
            Number(counts),
            tried ? now : null,
            claim.number,
          );
          const at = afterMs <= 0 ? 0 : now + Math.ceil(afterMs);
          if (yields) stepOver(sql, claim, at, waitsFor);
          else sql.run(WAIT, at, waitsFor ?? null, claim.lane);
          free(sql, claim.lane);
        });
      await clock.whenRight(kept);
      if (yields) due(undefined);
    },

    async deadLetter(claim, reason, notice) {
      await db.commit((sql) => {
        if (endedBy(sql, claim)) return;
        const now = clock.now();
        const text = `UPDATE inbox SET state = ${DEAD_LETTER}, reason = ?, ended = ? WHERE seq = ?`;
        sql.run(text, reason, now, claim.number);
        moveOn(sql, claim.lane);
        if (notice) insertNotice(sql, notice, now);
      });
      if (notice) due(undefined);
    },

    recover() {
      return db.write((sql) => {
        const processes = "SELECT DISTINCT process FROM lanes WHERE process IS NOT NULL";
        for (const { process } of sql.all<{ process: string }>(processes)) {
          if (lives(process)) continue;
          sql.run(
            "UPDATE inbox SET token = NULL WHERE seq IN (SELECT head FROM lanes WHERE process = ? AND running = 1)",
            process,
          );
          sql.run(
            "UPDATE lanes SET ready = due, holder = NULL, process = NULL, until = 0, running = 0 WHERE process = ?",
            process,
          );
        }
        sql.run("DELETE FROM lanes WHERE head IS NULL AND holder IS NULL");
      });
    },

    dueIn({ begunBelow = anyNumber } = {}) {
      const next = () =>
        db.read((sql) => {
          const first = (where: string) =>
            sql.get<{ ready: number }>(
              `SELECT ready FROM lanes JOIN inbox ON seq = head
               WHERE ${where} AND head IS NOT NULL AND begun < ? ORDER BY ready LIMIT 1`,
              begunBelow,
            );
          if (first("ready = 0")) return 0;
          const later = first("ready > 0");
          return later && later.ready - clock.now();
        });
      return clock.whenRight(next);
    },

    onDue(wake) {
      listeners.add(wake);
      return () => void listeners.delete(wake);
    },

    async wake(waitsFor, limit = -1) {
      const woken = await db.write((sql) =>
        sql.run(
          `UPDATE lanes SET due = 0, ready = until WHERE lane IN (
             SELECT lanes.lane FROM lanes JOIN inbox ON seq = head
             WHERE waits_for IN (?, ?) AND running = 0 AND due > 0 ORDER BY ifnull(tried, 0), seq LIMIT ?)`,
          waitsFor,
          YIELDS + waitsFor,
          limit,
        ),
      );
      return woken > 0 ? due(woken) : woken;
    },

    ...createCounts(db),
    ...createKept(db, clock, due),

    hold(lane, leaseMs) {
      const held = () =>
        db.write((sql) => {
          const now = clock.now();
          sql.run("INSERT INTO lanes (lane) VALUES (?) ON CONFLICT DO NOTHING", lane);
          if (!sql.get("SELECT 1 FROM lanes WHERE lane = ? AND until <= ?", lane, now)) return undefined;
          const token = newToken();
          take(sql, lane, token, own(), now + leaseMs, 0);
          return { lane, token };
        });
      return clock.whenRight(held);
    },

    async release({ lane, token }) {
      const waits = await db.write((sql) => {
        const mine = "SELECT 1 FROM lanes WHERE lane = ? AND holder = ? AND running = 0";
        return sql.get(mine, lane, token) !== undefined && free(sql, lane);
      });
      if (waits) due(undefined);
    },

    close() {
      if (name) closed(name);
      name = undefined;
    },
  };
}
