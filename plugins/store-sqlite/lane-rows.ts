import { randomBytes } from "node:crypto";
import { errors as shared, type InboundMessage, type MediaRef } from "@gantry/sdk";
import {
  laneOf,
  mediaIn,
  userOf,
  type AcceptBounds,
  type Acceptance,
  type Claim,
  type Notice,
} from "@gantry/sdk/fill";
import { useMedia } from "./media-rows.ts";
import type { Sql } from "./sql.ts";

export const PENDING = 0;
export const DONE = 1;
export const DEAD_LETTER = 2;
/** Before `lanes.waits_for`, where a first message of any other sender need not wait. */
export const YIELDS = "yields:";

export function insert(
  sql: Sql,
  message: InboundMessage,
  now: number,
  { maxPerSender = Infinity }: AcceptBounds = {},
): Acceptance {
  const user = userOf(message);
  if (Number.isFinite(maxPerSender) && hasPending(sql, user, maxPerSender)) {
    const known = sql.get("SELECT 1 FROM inbox WHERE channel = ? AND id = ?", message.channel, message.id);
    return known ? "duplicate" : "over";
  }

  const lane = laneOf(message);
  const seq = sql.insert(
    `INSERT INTO inbox (channel, id, lane, user, message, accepted) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
    message.channel,
    message.id,
    lane,
    user,
    JSON.stringify(message),
    now,
  );
  if (seq === undefined) return "duplicate";
  const { parts, quoted = [] } = message;
  useMedia(sql, `m:${seq}`, mediaIn([{ parts }, { parts: quoted }]));
  append(sql, lane, seq, user);
  return "accepted";
}

/**
 * No channel's name begins so: a notice waits behind other notices of its conversation and nothing
 * else.
 */
const noticeLane = ">";

/** False if the (channel, id) is known. */
export function insertNotice(sql: Sql, { message, reply }: Notice, now: number): boolean {
  const lane = `${noticeLane}${laneOf(message)}`;
  const seq = sql.insert(
    `INSERT INTO inbox (channel, id, lane, message, reply, accepted, notice) VALUES (?, ?, ?, ?, ?, ?, 1)
     ON CONFLICT DO NOTHING`,
    message.channel,
    message.id,
    lane,
    JSON.stringify(message),
    reply,
    now,
  );
  if (seq !== undefined) append(sql, lane, seq);
  return seq !== undefined;
}

/** Returns true if so many messages of a sender wait, or more. */
function hasPending(sql: Sql, user: string, count: number): boolean {
  if (count <= 0) return true;
  const text = `SELECT 1 FROM inbox WHERE user = ? AND state = ${PENDING} LIMIT 1 OFFSET ?`;
  return sql.get(text, user, count - 1) !== undefined;
}

/** The first message of a sender is due if those of the lane wait that yield. */
function append(sql: Sql, lane: string, seq: number, user: string | null = null): void {
  sql.run(
    `INSERT INTO lanes (lane, head) VALUES (?, ?) ON CONFLICT DO UPDATE SET
     head = excluded.head, due = 0, waits_for = NULL, ready = until
     WHERE head IS NULL OR (waits_for GLOB '${YIELDS}*' AND running = 0 AND NOT EXISTS (
       SELECT 1 FROM inbox WHERE lane = ? AND state = ${PENDING} AND user = ? AND seq < ?))`,
    lane,
    seq,
    lane,
    user,
    seq,
  );
}

export function newToken(): string {
  return randomBytes(12).toString("base64url");
}

/**
 * Returns false while the claim holds its message, so that the call is to be done; true if it has
 * ended already, so that this is the same call again. Throws LEASE_LOST if the lane is somebody
 * else's since.
 */
export function endedBy(sql: Sql, { lane, number, token }: Claim): boolean {
  const mine = "SELECT head FROM lanes WHERE lane = ? AND holder = ? AND running = 1";
  const held = sql.get<{ head: number | null }>(mine, lane, token);
  if (held?.head === number) return false;
  // Its person was erased meanwhile, and the message with them.
  if (held) free(sql, lane);
  const ended = `SELECT 1 FROM inbox WHERE seq = ? AND token = ? AND
    (state <> ${PENDING} OR NOT EXISTS (SELECT 1 FROM lanes WHERE lane = ? AND holder IS NOT NULL))`;
  if (held || sql.get(ended, number, token, lane)) return true;
  throw shared.LEASE_LOST(lane);
}

export function take(
  sql: Sql,
  lane: string,
  token: string,
  process: string,
  until: number,
  running: 0 | 1,
): void {
  sql.run(
    "UPDATE lanes SET holder = ?, process = ?, until = ?, ready = max(due, ?), running = ? WHERE lane = ?",
    token,
    process,
    until,
    until,
    running,
    lane,
  );
}

/**
 * Ends the hold on a lane; its first message is due when it was. Returns false if none waits there.
 */
export function free(sql: Sql, lane: string): boolean {
  if (sql.run("DELETE FROM lanes WHERE lane = ? AND head IS NULL", lane) > 0) return false;
  sql.run(
    "UPDATE lanes SET ready = due, holder = NULL, process = NULL, until = 0, running = 0 WHERE lane = ?",
    lane,
  );
  return true;
}

/**
 * Returns false if no lane can be claimed now: none is free with a message, and none falls free by
 * `now`.
 */
export function mayBeDue(sql: Sql, now: number): boolean {
  const text = `SELECT EXISTS (SELECT 1 FROM lanes WHERE ready = 0 AND head IS NOT NULL)
    OR EXISTS (SELECT 1 FROM lanes WHERE ready > 0 AND ready <= ?) AS due`;
  return sql.get<{ due: number }>(text, now)!.due === 1;
}

/** The lane's first message has ended: the one behind it is first now, and due. */
export function moveHead(sql: Sql, lane: string): void {
  sql.run(
    `UPDATE lanes SET due = 0, waits_for = NULL,
     head = (SELECT min(seq) FROM inbox WHERE lane = ? AND state = ${PENDING}) WHERE lane = ?`,
    lane,
    lane,
  );
}

/** The same, by the message's holder, who frees the lane with it. */
export function moveOn(sql: Sql, lane: string): void {
  moveHead(sql, lane);
  free(sql, lane);
}

/** Only the id is kept, to know a redelivery. */
export function forget(sql: Sql, seq: number): void {
  sql.run(
    `UPDATE inbox SET state = ${DONE}, message = '', reply = NULL, files = NULL, ended = ? WHERE seq = ?`,
    Date.now(),
    seq,
  );
}

export interface ClaimedRow {
  readonly seq: number;
  readonly lane: string;
  readonly message: string;
  readonly attempt: number;
  readonly begun: number;
  readonly failures: number;
  readonly accepted: number;
  readonly tried: number | null;
  readonly reply: string | null;
  readonly files: string | null;
  readonly notice: number;
}

export function claimOf(row: ClaimedRow, token: string, now: number): Claim {
  return {
    lane: row.lane,
    token,
    number: row.seq,
    message: JSON.parse(row.message) as InboundMessage,
    deliveryCount: row.attempt,
    begun: row.begun,
    failures: row.failures,
    ageMs: now - row.accepted,
    isNotice: row.notice === 1,
    ...(row.tried !== null && { triedMsAgo: now - row.tried }),
    ...(row.reply !== null && { reply: row.reply }),
    ...(row.files !== null && { files: JSON.parse(row.files) as readonly MediaRef[] }),
  };
}
