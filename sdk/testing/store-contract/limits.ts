import assert from "node:assert/strict";
import type { Limits, Window } from "../../store/store.ts";
import { near, timed, type Cases } from "./cases.ts";

const MINUTE = { ms: 60_000, max: 3 };
const HOUR = { ms: 3_600_000, max: 5 };

/** Fails if there is room, or if it comes at another time. */
async function isFull(
  limits: Limits,
  windows: readonly Window[],
  full: Window,
  afterMs: number,
): Promise<void> {
  const hit = await limits.hit("u", windows);
  assert.ok(!hit.ok);
  assert.deepEqual(hit.window, full);
  near(hit.retryAfterMs, afterMs);
}

export const limitCases: Cases = {
  "SEC-08: a window takes its number of hits and then says when there is room": async ({
    store: { limits },
  }) => {
    for (let n = 0; n < 3; n++) assert.deepEqual(await limits.hit("u", [MINUTE]), { ok: true });
    await isFull(limits, [MINUTE], MINUTE, 60_000);
    assert.deepEqual(await limits.hit("other", [MINUTE]), { ok: true });
  },
  "SEC-08: a window slides: no burst at its edge": timed(async ({ store: { limits }, pass }) => {
    await limits.hit("u", [MINUTE]);
    await pass(50_000);
    for (let n = 0; n < 2; n++) await limits.hit("u", [MINUTE]);
    await isFull(limits, [MINUTE], MINUTE, 10_000);
    await pass(10_000);
    assert.equal((await limits.hit("u", [MINUTE])).ok, true);
    await isFull(limits, [MINUTE], MINUTE, 50_000);
  }),
  "SEC-08: all windows must have room, and the latest one says when": timed(
    async ({ store: { limits }, pass }) => {
      for (let n = 0; n < 3; n++) await limits.hit("u", [MINUTE, HOUR]);
      await pass(60_000);
      for (let n = 0; n < 2; n++) assert.equal((await limits.hit("u", [MINUTE, HOUR])).ok, true);
      await isFull(limits, [MINUTE, HOUR], HOUR, 3_540_000);
    },
  ),
  "SEC-08: what is refused is not counted": timed(async ({ store: { limits }, pass }) => {
    for (let n = 0; n < 10; n++) await limits.hit("u", [MINUTE]);
    assert.equal(await limits.count("u", MINUTE.ms), 3);
    await pass(55_000);
    assert.equal(await limits.count("u", MINUTE.ms), 3);
    await pass(5_000);
    assert.equal(await limits.count("u", MINUTE.ms), 0);
    assert.equal(await limits.count("nobody", MINUTE.ms), 0);
  }),
  "SEC-08: hits that arrive together share the room that is left": async ({ store: { limits } }) => {
    const all = await Promise.all(Array.from({ length: 20 }, () => limits.hit("u", [MINUTE])));
    assert.equal(all.filter(({ ok }) => ok).length, 3);
  },
  "SEC-08: limits survive a restart": async ({ store, reopen }) => {
    for (let n = 0; n < 3; n++) await store.limits.hit("u", [MINUTE]);
    const again = await reopen();
    assert.equal((await again.limits.hit("u", [MINUTE])).ok, false);
  },
};
