import assert from "node:assert/strict";
import type { Claim } from "../../store/lanes.ts";
import type { Store } from "../../store/store.ts";
import { claimed, isLost, LEASE, message, noneToClaim, turn, timed, type Cases } from "./cases.ts";

function ids(claims: readonly Claim[]): string[] {
  return claims.map(({ message: { id } }) => id).toSorted();
}

/** All that a worker may still try whose lane is lost. */
async function allIsLost({ lanes, sessions }: Store, lost: Claim): Promise<void> {
  assert.equal(await lanes.renew(lost, LEASE), false);
  await isLost(lanes.answer(lost, "late", "test:a", turn(1)));
  await isLost(lanes.retry(lost, { afterMs: 0, reason: "late" }));
  await isLost(lanes.deadLetter(lost, "late"));
  await isLost(lanes.ack(lost));
  await isLost(sessions.append("test:a", turn(1), lost));
  assert.deepEqual(await sessions.recent("test:a", 5), []);
}

export const leaseCases: Cases = {
  "CHA-07: of many who claim at once exactly one gets a lane": async ({ store: { lanes } }) => {
    await lanes.accept(Array.from({ length: 20 }, (_, n) => message("a", `${n}`)));
    const claims = await Promise.all(Array.from({ length: 20 }, () => lanes.claim(1, LEASE)));
    assert.equal(claims.flat().length, 1);
  },
  "ST-02: CHA-07: a claim takes the oldest of as many lanes as it asks for, one message of each": async ({
    store: { lanes },
  }) => {
    const order = ["a", "a", "b", "c", "d", "b"];
    await lanes.accept(order.map((sender, n) => message(sender, `${n}`)));
    const first = await lanes.claim(2, LEASE);
    assert.deepEqual(ids(first), ["0", "2"]);
    assert.deepEqual(await lanes.claim(0, LEASE), []);
    assert.deepEqual(ids(await lanes.claim(9, LEASE)), ["3", "4"]);
    for (const claim of first) await lanes.ack(claim);
    assert.deepEqual(ids(await lanes.claim(9, LEASE)), ["1", "5"]);
  },
  "ST-04: CHA-06: a lease that ran out passes to the next holder, and the first can do no more": timed(
    async ({ store, pass }) => {
      const { lanes } = store;
      await lanes.accept([message("a", "1")]);
      const lost = await claimed(store, 5_000);
      await pass(3_500);
      await noneToClaim(store);
      await pass(1_500);
      const taken = await claimed(store);
      assert.deepEqual([taken.message.id, taken.deliveryCount, taken.number], ["1", 2, lost.number]);
      await allIsLost(store, lost);
      assert.deepEqual(await lanes.stats(), { waiting: 0, running: 1, deadLetters: 0 });
      await lanes.answer(taken, "in time", "test:a", turn(2));
      await lanes.ack(taken);
      assert.deepEqual(await lanes.stats(), { waiting: 0, running: 0, deadLetters: 0 });
      await isLost(lanes.ack(lost));
    },
  ),
  "ST-05: CHA-06: every claim has a token that no other has, and a later claim refuses it also in the same process":
    timed(async ({ store, pass }) => {
      const tokens = new Set<string>();
      await store.lanes.accept([message("a", "1")]);
      let before: Claim | undefined;
      for (let n = 0; n < 5; n++) {
        const claim = await claimed(store, 5_000);
        tokens.add(claim.token);
        if (before) await allIsLost(store, before);
        before = claim;
        await pass(5_000);
      }
      assert.equal(tokens.size, 5);
    }),
  "ST-03: CHA-06: what ended a claim may be asked again, and changes nothing more": async ({ store }) => {
    const { lanes, sessions } = store;
    await lanes.accept(["1", "2", "3"].map((id) => message(id, id)));
    const [first, second, third] = (await lanes.claim(3, LEASE)).toSorted((a, b) => a.number - b.number);
    for (let n = 0; n < 2; n++) {
      await lanes.answer(first!, "hello", "test:1", turn(1));
      await lanes.retry(second!, { afterMs: 0, reason: "busy", counts: true });
      await lanes.deadLetter(third!, "poison");
    }
    for (let n = 0; n < 2; n++) await lanes.ack(first!);
    assert.deepEqual(await sessions.recent("test:1", 5), turn(1));
    assert.deepEqual(await lanes.stats(), { waiting: 1, running: 0, deadLetters: 1 });
    assert.deepEqual((await claimed(store)).failures, 1);
    await isLost(lanes.retry(second!, { afterMs: 0, reason: "late" }));
  },
  "CHA-06: a renewed lease holds as long as it says": timed(async ({ store, pass }) => {
    const { lanes } = store;
    await lanes.accept([message("a", "1")]);
    const claim = await claimed(store, 5_000);
    await pass(3_500);
    assert.equal(await lanes.renew(claim, 5_000), true);
    await pass(3_500);
    await noneToClaim(store);
    await pass(1_500);
    assert.equal((await claimed(store)).message.id, "1");
  }),
  "CHA-06: after a restart, recover frees what the dead process held": async ({ store, reopen }) => {
    await store.lanes.accept([message("a", "1")]);
    await claimed(store);
    assert.ok(await store.lanes.hold("test:b", LEASE));
    const again = await reopen();
    await again.lanes.recover();
    assert.equal((await claimed(again)).message.id, "1");
    assert.ok(await again.lanes.hold("test:b", LEASE));
  },
  "CHA-06: recover takes nothing from who lives, however often it is called": async ({ store }) => {
    const { lanes } = store;
    await lanes.accept([message("a", "1")]);
    const claim = await claimed(store);
    const hold = await lanes.hold("test:b", LEASE);
    for (let n = 0; n < 3; n++) await lanes.recover();
    await noneToClaim(store);
    assert.equal(await lanes.hold("test:b", LEASE), undefined);
    assert.deepEqual([await lanes.renew(claim, LEASE), await lanes.renew(hold!, LEASE)], [true, true]);
  },
  "CHA-07: a held lane is nobody else's until it is released or the lease ends": timed(
    async ({ store, pass }) => {
      const { lanes } = store;
      const mine = await lanes.hold("test:a", 5_000);
      assert.equal(mine?.lane, "test:a");
      await pass(3_500);
      assert.equal(await lanes.hold("test:a", 5_000), undefined);
      assert.equal(await lanes.renew(mine, 5_000), true);
      await pass(3_500);
      assert.equal(await lanes.hold("test:a", 5_000), undefined);
      await lanes.release({ lane: "test:a", token: "another" });
      assert.equal(await lanes.hold("test:a", 5_000), undefined, "only its holder releases a lane");
      await pass(1_500);
      const yours = await lanes.hold("test:a", LEASE);
      assert.ok(yours);
      await lanes.release(mine);
      assert.equal(await lanes.hold("test:a", 5_000), undefined, "who lost a lane releases it no more");
      await lanes.release(yours);
      assert.ok(await lanes.hold("test:a", 5_000));
    },
  ),
  "ST-06: CHA-06: a turn is kept while its caller holds the lane, and refused once the lane is lost": timed(
    async ({ store: { lanes, sessions }, pass }) => {
      const mine = await lanes.hold("test:a", 5_000);
      await sessions.append("test:a", turn(1), mine);
      await pass(5_000);
      const yours = await lanes.hold("test:a", LEASE);
      await isLost(sessions.append("test:a", turn(2), mine));
      await sessions.append("test:a", turn(3), yours);
      assert.deepEqual(await sessions.recent("test:a", 5), [...turn(1), ...turn(3)]);
    },
  ),
  "CHA-07: messages of a held lane wait, and a lane whose message runs cannot be held": async ({ store }) => {
    const { lanes } = store;
    const mine = await lanes.hold("test:a", LEASE);
    await lanes.accept([message("a", "1")]);
    await noneToClaim(store);
    await lanes.release(mine!);
    const claim = await claimed(store);
    assert.equal(await lanes.hold("test:a", LEASE), undefined);
    await lanes.ack(claim);
    assert.ok(await lanes.hold("test:a", LEASE));
  },
  "CHA-06: a lease that ran out and was taken by nobody can be renewed": timed(async ({ store, pass }) => {
    const { lanes } = store;
    await lanes.accept([message("a", "1")]);
    const claim = await claimed(store, 1000);
    await pass(5_000);
    assert.equal(await lanes.renew(claim, LEASE), true);
    await noneToClaim(store);
  }),
};
