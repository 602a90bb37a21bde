import type { InboundMessage } from "@gantry/sdk";
import type { KeptMessage, Lanes } from "@gantry/sdk/fill";
import type { Database } from "./database.ts";
import { noticeRow } from "./notice-row.ts";
import { given } from "./text.ts";

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

const columns = `SELECT seq, state, channel, id, inbox.lane, accepted, ended, failures, begun, reason,
  waits_for, reply, message FROM inbox LEFT JOIN lanes ON lanes.lane = inbox.lane AND head = seq`;
const dead = 2;

/** Returns what a person can do with messages that wait or are dead letters. */
export function createKept(
  db: Database,
  due: <T>(value: T) => T,
): Pick<Lanes, "page" | "read" | "putBack" | "drop"> {
  return {
    async page(state, limit, after = 0) {
      const rows = await db.rows<Row>(
        `${columns} WHERE state = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
        state === "dead" ? dead : 0,
        after,
        Math.max(0, limit),
      );
      return rows.map(keptOf);
    },
    async read(number) {
      const [row] = await db.rows<Row>(`${columns} WHERE seq = $1 AND state IN (0, ${dead})`, number);
      if (!row) return undefined;
      const message = JSON.parse(row.message) as InboundMessage;
      return { ...keptOf(row), message, ...(row.reply !== null && { reply: given(row.reply) }) };
    },
    async putBack(number) {
      const isBack = await db.call<boolean>("gantry_put_back", { number });
      return isBack ? due(isBack) : isBack;
    },
    async drop(number, notice) {
      const isDropped = await db.call<boolean>("gantry_drop", {
        number,
        notice: notice && noticeRow(notice),
      });
      return isDropped ? due(isDropped) : isDropped;
    },
  };
}

function keptOf(row: Row): KeptMessage {
  const { seq, state, channel, id, lane, accepted, ended, failures, begun, reason, waits_for, reply } = row;
  return {
    number: seq,
    state: state === dead ? "dead" : "waiting",
    channel: given(channel),
    id: given(id),
    lane: given(lane),
    accepted: new Date(accepted).toISOString(),
    failures,
    begun,
    isAnswered: reply !== null,
    ...(ended !== null && { ended: new Date(ended).toISOString() }),
    ...(reason !== null && { reason: given(reason) }),
    ...(waits_for !== null && { waitsFor: given(waits_for) }),
  };
}
