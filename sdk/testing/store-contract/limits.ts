import assert from "node:assert/strict";
import { NOW, type Cases } from "./cases.ts";

const MINUTE = { ms: 60_000, max: 3 };
const HOUR = { ms: 3_600_000, max: 5 };

export const limitCases: Cases = {
  "SEC-08: a window takes its number of hits and then says when there is room": async ({
    store: { limits },
  }) => {
    for (const at of [0, 10, 20]) assert.deepEqual(await limits.hit("u", [MINUTE], NOW + at), { ok: true });
    assert.deepEqual(await limits.hit("u", [MINUTE], NOW + 30), {
      ok: false,
      window: MINUTE,
      retryAt: NOW + 60_000,
    });
    assert.deepEqual(await limits.hit("other", [MINUTE], NOW + 30), { ok: true });
  },
  "SEC-08: a window slides exactly: no burst at its edge": async ({ store: { limits } }) => {
    for (const at of [0, 59_998, 59_999]) assert.equal((await limits.hit("u", [MINUTE], NOW + at)).ok, true);
    assert.equal((await limits.hit("u", [MINUTE], NOW + 59_999)).ok, false);
    assert.equal((await limits.hit("u", [MINUTE], NOW + 60_000)).ok, true);
    assert.deepEqual(await limits.hit("u", [MINUTE], NOW + 60_001), {
      ok: false,
      window: MINUTE,
      retryAt: NOW + 119_998,
    });
  },
  "SEC-08: all windows must have room, and the latest one says when": async ({ store: { limits } }) => {
    for (const at of [0, 1, 2]) await limits.hit("u", [MINUTE, HOUR], NOW + at);
    for (const at of [60_000, 60_001])
      assert.equal((await limits.hit("u", [MINUTE, HOUR], NOW + at)).ok, true);
    assert.deepEqual(await limits.hit("u", [MINUTE, HOUR], NOW + 60_002), {
      ok: false,
      window: HOUR,
      retryAt: NOW + 3_600_000,
    });
  },
  "SEC-08: what is refused is not counted": async ({ store: { limits } }) => {
    for (let n = 0; n < 10; n++) await limits.hit("u", [MINUTE], NOW);
    assert.equal(await limits.count("u", MINUTE.ms, NOW), 3);
    assert.equal(await limits.count("u", MINUTE.ms, NOW + 59_999), 3);
    assert.equal(await limits.count("u", MINUTE.ms, NOW + 60_000), 0);
    assert.equal(await limits.count("nobody", MINUTE.ms, NOW), 0);
  },
  "SEC-08: hits that arrive together share the room that is left": async ({ store: { limits } }) => {
    const all = await Promise.all(Array.from({ length: 20 }, () => limits.hit("u", [MINUTE], NOW)));
    assert.equal(all.filter(({ ok }) => ok).length, 3);
  },
  "SEC-08: limits survive a restart": async ({ store, reopen }) => {
    for (let n = 0; n < 3; n++) await store.limits.hit("u", [MINUTE], NOW);
    const again = await reopen();
    assert.equal((await again.limits.hit("u", [MINUTE], NOW + 1)).ok, false);
  },
};
