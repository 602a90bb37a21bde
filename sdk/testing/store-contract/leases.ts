import assert from "node:assert/strict";
import { claimed, LEASE, message, NOW, turn, type Cases } from "./cases.ts";

export const leaseCases: Cases = {
  "CHA-07: of many who claim at once exactly one gets a lane": async ({ store: { lanes } }) => {
    await lanes.accept(Array.from({ length: 20 }, (_, n) => message("a", `${n}`)));
    const claims = await Promise.all(Array.from({ length: 20 }, (_, n) => lanes.claim(`w${n}`, LEASE, NOW)));
    assert.equal(claims.filter(Boolean).length, 1);
  },
  "CHA-06: a lease that ran out passes to the next holder, and the first can do no more": async ({
    store,
  }) => {
    const { lanes, sessions } = store;
    await lanes.accept([message("a", "1")]);
    const lost = await claimed(store, "slow", NOW, 1000);
    assert.equal(await lanes.claim("other", 1000, NOW + 999), undefined);
    const taken = await claimed(store, "other", NOW + 1000);
    assert.deepEqual([taken.message.id, taken.deliveryCount], ["1", 2]);
    assert.equal(await lanes.renew(lost, LEASE, NOW + 1001), false);
    assert.equal(await lanes.answer(lost, "late", "test:a", turn(1)), false);
    await lanes.retry(lost, { at: NOW, reason: "late" });
    await lanes.deadLetter(lost, "late");
    await lanes.ack(lost);
    assert.deepEqual(await sessions.recent("test:a", 5), []);
    assert.deepEqual(await lanes.stats(), { waiting: 0, running: 1, deadLetters: 0 });
    assert.equal(await lanes.answer(taken, "in time", "test:a", turn(2)), true);
    await lanes.ack(taken);
    assert.deepEqual(await lanes.stats(), { waiting: 0, running: 0, deadLetters: 0 });
  },
  "CHA-06: the same holder's lost claim counts as little as a stranger's": async ({ store }) => {
    const { lanes } = store;
    await lanes.accept([message("a", "1")]);
    const lost = await claimed(store, "w", NOW, 1000);
    const taken = await claimed(store, "w", NOW + 1000);
    assert.equal(await lanes.renew(lost, LEASE, NOW + 1001), false);
    assert.equal(await lanes.answer(lost, "late", "test:a", turn(1)), false);
    assert.equal(await lanes.renew(taken, LEASE, NOW + 1001), true);
  },
  "CHA-06: a renewed lease holds as long as it says": async ({ store }) => {
    const { lanes } = store;
    await lanes.accept([message("a", "1")]);
    const claim = await claimed(store, "w", NOW, 1000);
    assert.equal(await lanes.renew(claim, 1000, NOW + 900), true);
    assert.equal(await lanes.claim("other", 1000, NOW + 1800), undefined);
    assert.equal((await claimed(store, "other", NOW + 1900)).message.id, "1");
  },
  "CHA-06: after a restart, recover frees what the dead process held": async ({ store, reopen }) => {
    await store.lanes.accept([message("a", "1")]);
    await claimed(store, "old");
    assert.equal(await store.lanes.hold("test:b", "old", LEASE, NOW), true);
    const again = await reopen();
    await again.lanes.recover();
    assert.equal((await claimed(again, "new")).message.id, "1");
    assert.equal(await again.lanes.hold("test:b", "new", LEASE, NOW), true);
  },
  "CHA-07: a held lane is nobody else's until it is released or the lease ends": async ({ store }) => {
    const { lanes } = store;
    assert.equal(await lanes.hold("test:a", "me", 1000, NOW), true);
    assert.equal(await lanes.hold("test:a", "you", 1000, NOW + 999), false);
    assert.equal(
      await lanes.hold("test:a", "me", 1000, NOW + 500),
      true,
      "the holder prolongs by holding again",
    );
    assert.equal(await lanes.hold("test:a", "you", 1000, NOW + 1499), false);
    await lanes.release("test:a", "you");
    assert.equal(
      await lanes.hold("test:a", "you", 1000, NOW + 1499),
      false,
      "only its holder releases a lane",
    );
    assert.equal(await lanes.hold("test:a", "you", 1000, NOW + 1500), true);
    await lanes.release("test:a", "you");
    assert.equal(await lanes.hold("test:a", "me", 1000, NOW + 1501), true);
  },
  "CHA-07: messages of a held lane wait, and a lane whose message runs cannot be held": async ({ store }) => {
    const { lanes } = store;
    assert.equal(await lanes.hold("test:a", "me", LEASE, NOW), true);
    await lanes.accept([message("a", "1")]);
    assert.equal(await lanes.claim("w", LEASE, NOW), undefined);
    await lanes.release("test:a", "me");
    const claim = await claimed(store, "w");
    assert.equal(await lanes.hold("test:a", "me", LEASE, NOW), false);
    await lanes.ack(claim);
    assert.equal(await lanes.hold("test:a", "me", LEASE, NOW), true);
  },
  "CHA-06: a lease that ran out and was taken by nobody can be renewed": async ({ store }) => {
    const { lanes } = store;
    await lanes.accept([message("a", "1")]);
    const claim = await claimed(store, "w", NOW, 1000);
    assert.equal(await lanes.renew(claim, LEASE, NOW + 5000), true);
    assert.equal(await lanes.claim("other", LEASE, NOW + 5001), undefined);
  },
};
