import assert from "node:assert/strict";
import type { Store } from "../../store.ts";
import { LEASE, message, NOW } from "./cases.ts";

/** What holds between several handles on one store. */
export const nodeCases: Readonly<Record<string, (stores: readonly Store[]) => Promise<void>>> = {
  "CHA-06: a message that reaches several nodes at once is accepted by one": async (stores) => {
    const fresh = await Promise.all(
      stores.map(({ lanes }) => lanes.accept([message("a", "1"), message("a", "2")])),
    );
    assert.deepEqual(
      [0, 1].map((at) => fresh.filter((answer) => answer[at] === "accepted").length),
      [1, 1],
    );
  },
  "CHA-07: of several nodes that claim at once exactly one gets a lane": async (stores) => {
    await stores[0]!.lanes.accept(Array.from({ length: 10 }, (_, n) => message("a", `${n}`)));
    for (let n = 0; n < 10; n++) {
      const claims = await Promise.all(stores.map(({ lanes }, at) => lanes.claim(`node${at}`, LEASE, NOW)));
      const [won, ...more] = claims.filter((claim) => claim !== undefined);
      assert.deepEqual([won?.message.id, more.length], [`${n}`, 0]);
      await stores[(n + 1) % stores.length]!.lanes.ack(won!);
    }
  },
  "SEC-08: several nodes share one window": async (stores) => {
    const window = { ms: 60_000, max: 5 };
    const hits = await Promise.all(
      [...stores, ...stores, ...stores].map(({ limits }) => limits.hit("u", [window], NOW)),
    );
    assert.equal(hits.filter(({ ok }) => ok).length, 5);
  },
  "GW-02: a value is taken by one of several nodes": async (stores) => {
    await stores[0]!.values.put("codes", "k", "123456");
    const taken = await Promise.all(stores.map(({ values }) => values.take("codes", "k")));
    assert.equal(taken.filter((value) => value !== undefined).length, 1);
  },
};
