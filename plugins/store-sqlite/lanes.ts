import { laneOf, type InboundMessage, type Lanes } from "@gantry/sdk";
import type { Database } from "./database.ts";
import { DONE, free, holding, insert, moveOn, PENDING, SET_ASIDE, take } from "./lane-rows.ts";
import { closed, lives, newProcessName } from "./process.ts";
import { appendTurn } from "./sessions.ts";

/**
 * `inbox` holds the messages, `lanes` a row for every lane that waits or is held: its first message, and when it may be
 * taken. `ready` is 0 for a lane that is free now, so that the oldest is found without walking past those that are not.
 * Claims, renewals and holds are not synced: whoever held them is gone when the power is.
 */
export function createLanes(db: Database): Lanes & { close(): void } {
  let name: string | undefined;
  const own = (): string => (name ??= newProcessName());

  return {
    async accept(messages) {
      if (messages.length === 0) return [];
      return db.commit((sql) => messages.map((message) => insert(sql, message)));
    },

    claim(owner, leaseMs, now) {
      return db.write((sql) => {
        sql.run("UPDATE lanes SET ready = 0 WHERE ready > 0 AND ready <= ?", now);
        const lane = sql.get<{ lane: string; head: number }>(
          "SELECT lane, head FROM lanes WHERE ready = 0 AND head IS NOT NULL ORDER BY head LIMIT 1",
        );
        if (!lane) return undefined;
        take(sql, lane.lane, owner, own(), now + leaseMs, 1);
        const row = sql.get<{ message: string; attempt: number; reply: string | null }>(
          "UPDATE inbox SET attempt = attempt + 1 WHERE seq = ? RETURNING message, attempt, reply",
          lane.head,
        )!;
        const message = JSON.parse(row.message) as InboundMessage;
        return {
          message,
          owner,
          deliveryCount: row.attempt,
          ...(row.reply !== null && { reply: row.reply }),
        };
      });
    },

    renew(claim, leaseMs, now) {
      return db.write((sql) => {
        const held = holding(sql, claim);
        if (!held) return false;
        const changed = sql.run(
          "UPDATE lanes SET until = ?, ready = max(due, ?) WHERE lane = ? AND until > ?",
          now + leaseMs,
          now + leaseMs,
          held.lane,
          now,
        );
        return changed > 0;
      });
    },

    answer(claim, reply, session, turn) {
      return db.commit((sql) => {
        const held = holding(sql, claim);
        if (
          !held ||
          sql.run("UPDATE inbox SET reply = ? WHERE seq = ? AND reply IS NULL", reply, held.seq) === 0
        )
          return false;
        appendTurn(sql, session, turn, laneOf(claim.message));
        return true;
      });
    },

    ack(claim) {
      return db.commit((sql) => {
        const held = holding(sql, claim);
        if (!held) return;
        // Only the id is kept, to know a redelivery.
        sql.run(
          `UPDATE inbox SET state = ${DONE}, message = '', reply = NULL, ended = ? WHERE seq = ?`,
          Date.now(),
          held.seq,
        );
        moveOn(sql, held.lane);
      });
    },

    retry(claim, at, reason) {
      return db.commit((sql) => {
        const held = holding(sql, claim);
        if (!held) return;
        sql.run("UPDATE inbox SET reason = ? WHERE seq = ?", reason, held.seq);
        sql.run("UPDATE lanes SET due = ? WHERE lane = ?", Math.max(0, Math.ceil(at)), held.lane);
        free(sql, held.lane);
      });
    },

    deadLetter(claim, reason) {
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

    nextDue() {
      return db.read((sql) => {
        const open = sql.get<{ ready: number }>(
          "SELECT ready FROM lanes WHERE ready = 0 AND head IS NOT NULL LIMIT 1",
        );
        const later = "SELECT ready FROM lanes WHERE ready > 0 AND head IS NOT NULL ORDER BY ready LIMIT 1";
        return (open ?? sql.get<{ ready: number }>(later))?.ready;
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

    async listDeadLetters(limit) {
      const rows = await db.read((sql) =>
        sql.all<{ channel: string; id: string; reason: string; ended: number }>(
          `SELECT channel, id, reason, ended FROM inbox WHERE state = ${SET_ASIDE} ORDER BY ended DESC LIMIT ?`,
          Math.max(0, limit),
        ),
      );
      return rows.map(({ ended, ...row }) => ({ ...row, at: new Date(ended).toISOString() }));
    },

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
