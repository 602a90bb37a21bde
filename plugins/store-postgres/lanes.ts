import { errors as shared, type InboundMessage, type MediaRef } from "@gantry/sdk";
import { laneOf, mediaIn, userOf, type Acceptance, type Claim, type Lanes } from "@gantry/sdk/fill";
import { grouped } from "./batch.ts";
import type { Database } from "./database.ts";
import type { HeldLeases } from "./held-leases.ts";
import { createKept } from "./kept-messages.ts";
import { noticeRow } from "./notice-row.ts";
import { Takings } from "./takings.ts";
import type { Nodes } from "./nodes.ts";
import { given, stored } from "./text.ts";
import { turnRow } from "./turn-row.ts";
import type { Wakes } from "./wakes.ts";

/** Which message of which lane, and by whose claim. */
const keyOf = ({ lane, number, token }: Claim) => ({ lane: stored(lane), number, token });
const held = (claim: Claim, isHeld: boolean): void => {
  if (!isHeld) throw shared.LEASE_LOST(laneOf(claim.message));
};
const isRefused = (error: unknown): boolean =>
  (error as { code?: string }).code === shared.STORE_REFUSED.code;

/**
 * `inbox` holds the messages, `lanes` a row for every lane that waits or is held. Claims, renewals
 * and holds wait for no disk: a failover may lose them, and their tokens say so.
 */
export function createLanes(db: Database, nodes: Nodes, wakes: Wakes, leases: HeldLeases): Lanes {
  const due = <T>(value: T): T => {
    wakes.due();
    return value;
  };
  const call = <T>(name: string, argument: unknown): Promise<T> => db.call<T>(name, argument);
  const takings = new Takings(db, nodes.id);
  const accepted = grouped<object, Acceptance>((rows) => call("gantry_accept", rows), isRefused, 1);
  const answered = grouped<object, boolean>((rows) => call("gantry_answer", rows), isRefused, 2);
  const confirmed = grouped<object, boolean>((rows) => call("gantry_ack", rows), isRefused, 2);

  return {
    async accept(messages, bounds = {}) {
      const all = await Promise.all(messages.map((one) => accepted(acceptRow(one, bounds.maxPerSender))));
      return all.includes("accepted") ? due(all) : all;
    },
    async post(notice) {
      return (await call<boolean>("gantry_post", noticeRow(notice))) && due(true);
    },

    async claim(max, leaseMs, { begunBelow } = {}) {
      if (max <= 0) return [];
      await nodes.join();
      if (nodes.draining) return [];
      const wanted = { max, leaseMs: Math.ceil(leaseMs), below: begunBelow };
      const at = performance.now();
      const rows = await takings.take<readonly ClaimedRow[]>("gantry_claim", wanted);
      return rows.map((row) => leases.given(claimOf(row), at, leaseMs));
    },
    renew: (lease, leaseMs) => leases.renew(lease, leaseMs),
    isDrained: () => nodes.draining,
    isHeld: (lease, signal) => leases.isHeld(lease, signal),

    async answer(claim, reply, session, turn, files = []) {
      const ids = [...new Set(files.map(({ id }) => id))];
      const row = {
        ...keyOf(claim),
        ...turnRow(session, turn),
        reply: stored(reply),
        owner: stored(laneOf(claim.message)),
        ...(files.length > 0 && { files: JSON.stringify(files), fileIds: ids }),
      };
      held(claim, await answered(row));
    },
    async ack(claim) {
      held(claim, await confirmed(keyOf(claim)));
    },

    async retry(claim, { afterMs, reason, waitsFor, tried = false, counts = false, yields = false }) {
      const isHeld = await call<boolean>("gantry_retry", {
        ...keyOf(claim),
        afterMs: afterMs <= 0 ? null : Math.min(Math.ceil(afterMs), Number.MAX_SAFE_INTEGER / 2),
        reason: stored(reason),
        waitsFor: waitsFor && stored(waitsFor),
        tried,
        counts,
        yields,
      });
      held(claim, isHeld);
      if (yields) due(undefined);
    },
    async deadLetter(claim, reason, notice) {
      const row = { ...keyOf(claim), reason: stored(reason), notice: notice && noticeRow(notice) };
      held(claim, await call("gantry_dead_letter", row));
      if (notice) due(undefined);
    },

    async recover() {
      await nodes.join();
      await nodes.look();
      await call("gantry_recover", {});
    },
    async dueIn({ begunBelow = null } = {}) {
      // A node that takes no new work waits for nothing.
      if (nodes.draining) return undefined;
      const first = `SELECT ready FROM lanes JOIN inbox ON seq = head
        WHERE head IS NOT NULL AND ($1::bigint IS NULL OR begun < $1)`;
      const [row] = await db.rows<{ in: number | null }>(
        `SELECT CASE WHEN EXISTS (${first} AND ready = 0) THEN 0 ELSE
           (${first} AND ready > 0 ORDER BY ready LIMIT 1) - gantry_now() END AS in`,
        begunBelow,
      );
      return row?.in ?? undefined;
    },
    onDue: (wake) => wakes.onDue(wake),
    async wake(waitsFor, limit) {
      const woken = await call<number>("gantry_wake", {
        waitsFor: stored(waitsFor),
        limit: limit === undefined || limit < 0 ? null : limit,
      });
      return woken > 0 ? due(woken) : woken;
    },

    ...createCounts(db),
    ...createKept(db, due),

    async hold(lane, leaseMs) {
      await nodes.join();
      const wanted = { lane: stored(lane), leaseMs: Math.ceil(leaseMs) };
      const at = performance.now();
      const token = await takings.take<string | undefined>("gantry_hold", wanted);
      return token === undefined ? undefined : leases.given({ lane, token }, at, leaseMs);
    },
    async release({ lane, token }) {
      if (await call<boolean>("gantry_release", { lane: stored(lane), token })) due(undefined);
    },
  };
}

function acceptRow(message: InboundMessage, most: number | undefined): object {
  const { channel, id, parts, quoted = [] } = message;
  const media = mediaIn([{ parts }, { parts: quoted }]);
  return {
    channel: stored(channel),
    id: stored(id),
    lane: stored(laneOf(message)),
    usr: stored(userOf(message)),
    message: JSON.stringify(message),
    ...(Number.isFinite(most) && { most }),
    ...(media.length > 0 && { media }),
  };
}

/** How much waits, and for what. */
function createCounts(db: Database): Pick<Lanes, "stats" | "waits"> {
  return {
    async stats() {
      const [row] = await db.rows<{ pending: number; running: number; dead: number }>(
        `SELECT (SELECT count(*) FROM inbox WHERE state = 0) AS pending,
           (SELECT count(*) FROM lanes WHERE running) AS running,
           (SELECT count(*) FROM inbox WHERE state = 2) AS dead`,
      );
      const { pending = 0, running = 0, dead = 0 } = row ?? {};
      return { waiting: pending - running, running, deadLetters: dead };
    },
    async waits() {
      const rows = await db.rows<{ what: string; lanes: number; reason: string }>(
        `SELECT regexp_replace(waits_for, '^yields:', '') AS what, count(*) AS lanes,
           (array_agg(reason ORDER BY tried DESC NULLS LAST))[1] AS reason
         FROM lanes JOIN inbox ON seq = head WHERE waits_for <> 'yields:' GROUP BY 1
         ORDER BY 1`,
      );
      return rows.map(({ what, lanes, reason }) => ({
        waitsFor: given(what),
        lanes,
        reason: given(reason),
      }));
    },
  };
}

interface ClaimedRow {
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
  readonly notice: boolean;
  readonly token: string;
  readonly now: number;
}

function claimOf(row: ClaimedRow): Claim {
  const { now, accepted, tried, reply, files } = row;
  return {
    lane: given(row.lane),
    token: row.token,
    number: row.seq,
    message: JSON.parse(row.message) as InboundMessage,
    deliveryCount: row.attempt,
    begun: row.begun,
    failures: row.failures,
    ageMs: now - accepted,
    isNotice: row.notice,
    ...(tried !== null && { triedMsAgo: now - tried }),
    ...(reply !== null && { reply: given(reply) }),
    ...(files !== null && { files: JSON.parse(files) as readonly MediaRef[] }),
  };
}
