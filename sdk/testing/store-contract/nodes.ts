import assert from "node:assert/strict";
import type { Store } from "../../store/store.ts";
import { claimed, isLost, LEASE, message, turn } from "./cases.ts";

/** Handles on one empty store. */
interface SharedStore {
  readonly stores: readonly Store[];
}

/** The sentences that hold between several handles on one store. */
export const nodeCases: Readonly<Record<string, (shared: SharedStore) => Promise<void>>> = {
  "CHA-06: several nodes that start together on nothing all work": async ({ stores }) => {
    await Promise.all(stores.map(({ values }, at) => values.put("nodes", `${at}`, at)));
    const read = await Promise.all(stores.map((_, at) => stores[0]!.values.get("nodes", `${at}`)));
    assert.deepEqual(read, [...stores.keys()]);
  },
  "CHA-06: a message that reaches several nodes at once is accepted by one": async ({ stores }) => {
    const fresh = await Promise.all(
      stores.map(({ lanes }) => lanes.accept([message("a", "1"), message("a", "2")])),
    );
    assert.deepEqual(
      [0, 1].map((at) => fresh.filter((answer) => answer[at] === "accepted").length),
      [1, 1],
    );
  },
  "CHA-07: of several nodes that claim at once exactly one gets a lane": async ({ stores }) => {
    await stores[0]!.lanes.accept(Array.from({ length: 10 }, (_, n) => message("a", `${n}`)));
    for (let n = 0; n < 10; n++) {
      const claims = await Promise.all(stores.map(({ lanes }) => lanes.claim(1, LEASE)));
      const [won, ...more] = claims.flat();
      assert.deepEqual([won?.message.id, more.length], [`${n}`, 0]);
      await stores[(n + 1) % stores.length]!.lanes.ack(won!);
    }
  },
  "ST-07: CHA-06: recover on one node takes nothing from the others, whose writes go on": async ({
    stores,
  }) => {
    const [one, other] = stores as [Store, Store];
    await one.lanes.accept([message("a", "1")]);
    const claim = await claimed(one);
    const hold = await one.lanes.hold("test:b", LEASE);
    for (const { lanes } of stores) await lanes.recover();
    assert.deepEqual(await other.lanes.claim(9, LEASE), []);
    assert.equal(await other.lanes.hold("test:b", LEASE), undefined);
    await one.lanes.answer(claim, "hello", "test:a", turn(1));
    await one.lanes.ack(claim);
    await one.lanes.release(hold!);
    assert.ok(await other.lanes.hold("test:b", LEASE));
  },
  "CHA-06: what one node has claimed another can neither answer nor end": async ({ stores }) => {
    const [one, other] = stores as [Store, Store];
    await one.lanes.accept([message("a", "1")]);
    const claim = { ...(await claimed(one)), token: "made-up" };
    await isLost(other.lanes.answer(claim, "late", "test:a", turn(1)));
    await isLost(other.lanes.ack(claim));
    assert.equal(await other.lanes.renew(claim, LEASE), false);
  },
  "ST-10: CHA-06: overlapping deliveries to several nodes in opposite order lose nothing": async ({
    stores,
  }) => {
    const batch = Array.from({ length: 10 }, (_, n) => n);
    for (let round = 0; round < 10; round++) {
      const of = (order: readonly number[]) => order.map((n) => message(`s${n}`, `${round}-${n}`));
      await Promise.all(
        stores.map(({ lanes }, at) => lanes.accept(of(at % 2 === 0 ? batch : batch.toReversed()))),
      );
    }
    let seen = 0;
    for (let claims = await stores[0]!.lanes.claim(99, LEASE); claims.length > 0;) {
      seen += claims.length;
      for (const claim of claims) await stores[0]!.lanes.ack(claim);
      claims = await stores[0]!.lanes.claim(99, LEASE);
    }
    assert.equal(seen, 100);
  },
  "SEC-08: several nodes share one window": async ({ stores }) => {
    const window = { ms: 60_000, max: 5 };
    const hits = await Promise.all(
      [...stores, ...stores, ...stores].map(({ limits }) => limits.hit("u", [window])),
    );
    assert.equal(hits.filter(({ ok }) => ok).length, 5);
  },
  "SDK-21: of several nodes one adds a value, and all read that one": async ({ stores }) => {
    const added = await Promise.all(stores.map(({ values }, at) => values.add("ends", "k", at)));
    assert.equal(added.filter(Boolean).length, 1);
    const read = await Promise.all(stores.map(({ values }) => values.get("ends", "k")));
    assert.deepEqual(
      read,
      stores.map(() => added.indexOf(true)),
    );
  },
  "GW-02: a value is taken by one of several nodes": async ({ stores }) => {
    await stores[0]!.values.put("codes", "k", "123456");
    const taken = await Promise.all(stores.map(({ values }) => values.take("codes", "k")));
    assert.equal(taken.filter((value) => value !== undefined).length, 1);
  },
};
