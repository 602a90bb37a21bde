import type { InboundMessage } from "@gantry/sdk";
import type { KeptMessage, Lanes } from "@gantry/sdk/fill";
import type { LaneClock } from "./clock.ts";
import type { Database } from "./database.ts";
import { forget, free, insertNotice, moveHead, PENDING, DEAD_LETTER } from "./lane-rows.ts";

interface Row {
  readonly seq: number;
  readonly state: number;
  readonly channel: string;
  readonly id: string;
  readonly lane: string;
  readonly accepted: number;
  readonly ended: number | null;
  readonly failures: number;
  readonly begun: number;
  readonly reason: string | null;
  readonly waits_for: string | null;
  readonly reply: string | null;
  readonly message: string;
}

interface Dropped {
  readonly state: number;
  readonly notice: number;
  readonly lane: string;
  readonly head: number | null;
  readonly running: number | null;
}

const COLUMNS = `SELECT seq, state, channel, id, inbox.lane, accepted, ended, failures, begun, reason, waits_for, reply, message
  FROM inbox LEFT JOIN lanes ON lanes.lane = inbox.lane AND head = seq`;

/** Returns a person's actions on messages that wait or are dead letters. */
export function createKept(
  db: Database,
  clock: LaneClock,
  due: <T>(value: T) => T,
): Pick<Lanes, "page" | "read" | "putBack" | "drop"> {
  return {
    async page(state, limit, after = 0) {
      const code = state === "dead" ? DEAD_LETTER : PENDING;
      const text = `${COLUMNS} WHERE state = ? AND seq > ? ORDER BY seq LIMIT ?`;
      const rows = await db.read((sql) => sql.all<Row>(text, code, after, Math.max(0, limit)));
      return rows.map(keptOf);
    },

    async read(number) {
      const text = `${COLUMNS} WHERE seq = ? AND state IN (${PENDING}, ${DEAD_LETTER})`;
      const row = await db.read((sql) => sql.get<Row>(text, number));
      if (!row) return undefined;
      const message = JSON.parse(row.message) as InboundMessage;
      return { ...keptOf(row), message, ...(row.reply !== null && { reply: row.reply }) };
    },

    async putBack(number) {
      const isBack = await db.commit((sql) => {
        const row = sql.get<{ lane: string }>(
          `UPDATE inbox SET state = ${PENDING}, accepted = ?, begun = 0, failures = 0, tried = NULL, ended = NULL, token = NULL
           WHERE seq = ? AND state = ${DEAD_LETTER} RETURNING lane`,
          clock.now(),
          number,
        );
        if (!row) return false;
        // Behind a message that runs it is first once that has ended.
        sql.run(
          `INSERT INTO lanes (lane, head) VALUES (?, ?) ON CONFLICT DO UPDATE SET
           head = excluded.head, due = 0, waits_for = NULL, ready = until
           WHERE running = 0 AND (head IS NULL OR head > excluded.head)`,
          row.lane,
          number,
        );
        return true;
      });
      return isBack ? due(isBack) : isBack;
    },

    async drop(number, notice) {
      const isDropped = await db.commit((sql) => {
        const row = sql.get<Dropped>(
          `SELECT state, notice, inbox.lane, head, running FROM inbox LEFT JOIN lanes ON lanes.lane = inbox.lane
           WHERE seq = ? AND state IN (${PENDING}, ${DEAD_LETTER})`,
          number,
        );
        const isFirst = row?.state === PENDING && row.head === number;
        if (!row || (isFirst && row.running === 1)) return false;

        if (notice && row.state === PENDING && row.notice === 0) insertNotice(sql, notice, clock.now());
        forget(sql, number);
        if (!isFirst) return true;
        moveHead(sql, row.lane);
        if (sql.get("SELECT 1 FROM lanes WHERE lane = ? AND holder IS NULL", row.lane)) free(sql, row.lane);
        return true;
      });
      return isDropped ? due(isDropped) : isDropped;
    },
  };
}

function keptOf(row: Row): KeptMessage {
  const { seq, state, channel, id, lane, accepted, ended, failures, begun, reason, waits_for, reply } = row;
  return {
    number: seq,
    state: state === DEAD_LETTER ? "dead" : "waiting",
    channel,
    id,
    lane,
    accepted: new Date(accepted).toISOString(),
    failures,
    begun,
    isAnswered: reply !== null,
    ...(ended !== null && { ended: new Date(ended).toISOString() }),
    ...(reason !== null && { reason }),
    ...(waits_for !== null && { waitsFor: waits_for }),
  };
}
