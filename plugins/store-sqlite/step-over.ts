import type { Claim } from "@gantry/sdk/fill";
import { PENDING, YIELDS } from "./lane-rows.ts";
import type { Sql } from "./sql.ts";

/**
 * Gives the lane to the next sender's first message behind this one. If there is none, the lane
 * begins again with its first message at the Unix ms `at`. Each sender's messages stay in order.
 */
export function stepOver(sql: Sql, { lane, number }: Claim, at: number, waitsFor: string = ""): void {
  const firsts = `SELECT min(seq) AS first FROM inbox WHERE lane = ? AND state = ${PENDING} GROUP BY user`;
  const text = `SELECT min(first) AS next FROM (${firsts}) WHERE first > ?`;
  const { next } = sql.get<{ next: number | null }>(text, lane, number)!;
  const head = next ?? sql.get<{ first: number }>(`SELECT min(first) AS first FROM (${firsts})`, lane)!.first;
  const isLast = next === null;
  const change = "UPDATE lanes SET head = ?, due = ?, waits_for = ? WHERE lane = ?";
  sql.run(change, head, isLast ? at : 0, isLast ? YIELDS + waitsFor : null, lane);
}
