import { laneOf, type Lanes } from "@gantry/sdk";
import type { Database } from "./database.ts";
import { createKept } from "./kept-messages.ts";
import {
  claimOf,
  forget,
  free,
  holding,
  insert,
  insertNotice,
  moveOn,
  PENDING,
  SET_ASIDE,
  take,
  type ClaimedRow,
} from "./lane-rows.ts";
import { closed, lives, newProcessName } from "./process.ts";
import { appendTurn } from "./sessions.ts";

/** Beyond all counts of how often a message was begun. */
const anyNumber = Number.MAX_SAFE_INTEGER;

/**
 * `inbox` holds the messages, `lanes` a row for every lane that waits or is held: its first message, and when it may be
 * taken. `ready` is 0 for a lane that is free now, so that the oldest is found without walking past those that are not.
 * Claims, renewals and holds are not synced: whoever held them is gone when the power is.
 */
export function createLanes(db: Database): Lanes & { close(): void } {
  let name: string | undefined;
  const own = (): string => (name ??= newProcessName());

  return {
    async accept(messages, bounds) {
      if (messages.length === 0) return [];
      return db.commit((sql) => messages.map((message) => insert(sql, message, bounds)));
    },

    post(notice) {
      return db.commit((sql) => insertNotice(sql, notice));
    },

    claim(owner, leaseMs, now, { begunBelow = anyNumber } = {}) {
      return db.write((sql) => {
        sql.run("UPDATE lanes SET ready = 0 WHERE ready > 0 AND ready <= ?", now);
        const lane = sql.get<{ lane: string; head: number }>(
          `SELECT lanes.lane, head FROM lanes JOIN inbox ON seq = head
           WHERE ready = 0 AND head IS NOT NULL AND begun < ? ORDER BY head LIMIT 1`,
          begunBelow,
        );
        if (!lane) return undefined;
        take(sql, lane.lane, owner, own(), now + leaseMs, 1);
        const row = sql.get<ClaimedRow>(
          `UPDATE inbox SET attempt = attempt + 1, begun = begun + 1 WHERE seq = ?
           RETURNING message, attempt, begun, failures, accepted, tried, reply, notice`,
          lane.head,
        )!;
        return claimOf(row, owner);
      });
    },

    renew(claim, leaseMs, now) {
      return db.write((sql) => {
        const held = holding(sql, claim);
        if (!held) return false;
        const changed = sql.run(
          "UPDATE lanes SET until = ?, ready = max(due, ?) WHERE lane = ?",
          now + leaseMs,
          now + leaseMs,
          held.lane,
        );
        return changed > 0;
      });
    },

    answer(claim, reply, session, turn) {
      return db.commit((sql) => {
        const held = holding(sql, claim);
        if (!held) return false;
        const before = sql.get<{ reply: string | null }>("SELECT reply FROM inbox WHERE seq = ?", held.seq)!;
        if (before.reply !== null) return before.reply === reply;
        sql.run("UPDATE inbox SET reply = ?, begun = 0, failures = 0 WHERE seq = ?", reply, held.seq);
        appendTurn(sql, session, turn, laneOf(claim.message));
        return true;
      });
    },

    ack(claim) {
      return db.commit((sql) => {
        const held = holding(sql, claim);
        if (!held) return;
        forget(sql, held.seq);
        moveOn(sql, held.lane);
      });
    },

    retry(claim, { at, reason, waitsFor, triedAt, counts = false }) {
      return db.commit((sql) => {
        const held = holding(sql, claim);
        if (!held) return;
        sql.run(
          "UPDATE inbox SET reason = ?, begun = 0, failures = failures + ?, tried = ifnull(?, tried) WHERE seq = ?",
          reason,
          Number(counts),
          triedAt ?? null,
          held.seq,
        );
        const due = Math.max(0, Math.ceil(at));
        sql.run("UPDATE lanes SET due = ?, waits_for = ? WHERE lane = ?", due, waitsFor ?? null, held.lane);
        free(sql, held.lane);
      });
    },

    deadLetter(claim, reason, notice) {
      return db.commit((sql) => {
        const held = holding(sql, claim);
        if (!held) return;
        sql.run(
          `UPDATE inbox SET state = ${SET_ASIDE}, reason = ?, ended = ? WHERE seq = ?`,
          reason,
          Date.now(),
          held.seq,
        );
        moveOn(sql, held.lane);
        if (notice) insertNotice(sql, notice);
      });
    },

    recover() {
      return db.write((sql) => {
        for (const { process } of sql.all<{ process: string }>(
          "SELECT DISTINCT process FROM lanes WHERE process IS NOT NULL",
        )) {
          if (lives(process)) continue;
          sql.run(
            "UPDATE lanes SET ready = due, holder = NULL, process = NULL, until = 0, running = 0 WHERE process = ?",
            process,
          );
        }
        sql.run("DELETE FROM lanes WHERE head IS NULL AND holder IS NULL");
      });
    },

    nextDue({ begunBelow = anyNumber } = {}) {
      return db.read((sql) => {
        const first = (where: string) =>
          sql.get<{ ready: number }>(
            `SELECT ready FROM lanes JOIN inbox ON seq = head
             WHERE ${where} AND head IS NOT NULL AND begun < ? ORDER BY ready LIMIT 1`,
            begunBelow,
          );
        return (first("ready = 0") ?? first("ready > 0"))?.ready;
      });
    },

    stats() {
      return db.read((sql) => {
        const count = (text: string): number => sql.get<{ n: number }>(text)!.n;
        const running = count("SELECT count(*) AS n FROM lanes WHERE running = 1");
        const pending = count(`SELECT count(*) AS n FROM inbox WHERE state = ${PENDING}`);
        return {
          waiting: pending - running,
          running,
          deadLetters: count(`SELECT count(*) AS n FROM inbox WHERE state = ${SET_ASIDE}`),
        };
      });
    },

    wake(waitsFor, limit = -1) {
      return db.write((sql) =>
        sql.run(
          `UPDATE lanes SET due = 0, ready = until WHERE lane IN (
             SELECT lanes.lane FROM lanes JOIN inbox ON seq = head
             WHERE waits_for = ? AND running = 0 AND due > 0 ORDER BY ifnull(tried, 0), seq LIMIT ?)`,
          waitsFor,
          limit,
        ),
      );
    },

    async waits() {
      const rows = await db.read((sql) =>
        sql.all<{ waitsFor: string; lanes: number; reason: string; tried: number | null }>(
          `SELECT waits_for AS waitsFor, count(*) AS lanes, reason, max(tried) AS tried FROM lanes
           JOIN inbox ON seq = head WHERE waits_for IS NOT NULL GROUP BY waits_for ORDER BY waits_for`,
        ),
      );
      return rows.map(({ waitsFor, lanes, reason }) => ({ waitsFor, lanes, reason }));
    },

    shift(ms) {
      return db.write((sql) => {
        sql.run(
          `UPDATE inbox SET accepted = accepted + ?, tried = tried + ? WHERE state = ${PENDING}`,
          ms,
          ms,
        );
        sql.run(`UPDATE lanes SET ${["due", "ready", "until"].map(moved).join(", ")}`, ms, ms, ms);
      });
    },

    ...createKept(db),

    hold(lane, holder, leaseMs, now) {
      return db.write((sql) => {
        sql.run("INSERT INTO lanes (lane) VALUES (?) ON CONFLICT DO NOTHING", lane);
        const open = sql.get(
          "SELECT 1 FROM lanes WHERE lane = ? AND (until <= ? OR (holder = ? AND running = 0))",
          lane,
          now,
          holder,
        );
        if (open) take(sql, lane, holder, own(), now + leaseMs, 0);
        return open !== undefined;
      });
    },

    release(lane, holder) {
      return db.write((sql) => {
        if (sql.get("SELECT 1 FROM lanes WHERE lane = ? AND holder = ? AND running = 0", lane, holder))
          free(sql, lane);
      });
    },

    close() {
      if (name) closed(name);
      name = undefined;
    },
  };
}

/** A time that was set moves; 0 is none. */
function moved(column: string): string {
  return `${column} = iif(${column} > 0, max(1, ${column} + ?), 0)`;
}
