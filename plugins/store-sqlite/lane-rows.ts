import { laneOf, mediaIn, type Claim, type InboundMessage } from "@gantry/sdk";
import { useMedia } from "./media-rows.ts";
import type { Sql } from "./sql.ts";

export const PENDING = 0;
export const DONE = 1;
export const SET_ASIDE = 2;

/** False where the (channel, id) is known. */
export function insert(sql: Sql, message: InboundMessage): boolean {
  const lane = laneOf(message);
  const seq = sql.insert(
    "INSERT INTO inbox (channel, id, lane, message) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
    message.channel,
    message.id,
    lane,
    JSON.stringify(message),
  );
  if (seq === undefined) return false;
  const { parts, quoted = [] } = message;
  useMedia(sql, `m:${seq}`, mediaIn([{ parts }, { parts: quoted }]));
  sql.run(
    "INSERT INTO lanes (lane, head) VALUES (?, ?) ON CONFLICT DO UPDATE SET head = excluded.head WHERE head IS NULL",
    lane,
    seq,
  );
  return true;
}

/** The message of a claim whose holder still has the lane. */
export function holding(
  sql: Sql,
  { message, owner: holder, deliveryCount: attempt }: Claim,
): { readonly seq: number; readonly lane: string } | undefined {
  return sql.get<{ seq: number; lane: string }>(
    `SELECT seq, inbox.lane FROM inbox JOIN lanes ON lanes.lane = inbox.lane AND head = seq
     WHERE channel = ? AND id = ? AND state = ${PENDING} AND attempt = ? AND holder = ? AND running = 1`,
    message.channel,
    message.id,
    attempt,
    holder,
  );
}

export function take(
  sql: Sql,
  lane: string,
  holder: string,
  process: string,
  until: number,
  running: 0 | 1,
): void {
  sql.run(
    "UPDATE lanes SET holder = ?, process = ?, until = ?, ready = max(due, ?), running = ? WHERE lane = ?",
    holder,
    process,
    until,
    until,
    running,
    lane,
  );
}

/** Ends the hold on a lane; its first message is due when it was. */
export function free(sql: Sql, lane: string): void {
  if (sql.run("DELETE FROM lanes WHERE lane = ? AND head IS NULL", lane) > 0) return;
  sql.run(
    "UPDATE lanes SET ready = due, holder = NULL, process = NULL, until = 0, running = 0 WHERE lane = ?",
    lane,
  );
}

/** The lane's first message has ended: frees the lane for the one behind it. */
export function moveOn(sql: Sql, lane: string): void {
  sql.run(
    "UPDATE lanes SET due = 0, head = (SELECT min(seq) FROM inbox WHERE lane = ? AND state = 0) WHERE lane = ?",
    lane,
    lane,
  );
  free(sql, lane);
}
