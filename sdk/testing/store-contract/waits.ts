import assert from "node:assert/strict";
import { directMessage } from "../../messages/channel.ts";
import type { Notice } from "../../store/lanes.ts";
import { claimed, isLost, LEASE, message, near, noneToClaim, turn, timed, type Cases } from "./cases.ts";

const LATER = 86_400_000;

function notice(sender: string, id: string): Notice {
  const told = { ...directMessage({ channel: "test", id, from: sender, text: "" }), parts: [] };
  return { message: told, reply: `notice ${id}` };
}

export const waitCases: Cases = {
  "INB-01: what waits for something falls due once that is back, in its order, and nothing else does":
    async ({ store, reopen }) => {
      await store.lanes.accept(["a", "b", "c"].map((sender) => message(sender, sender)));
      for (const waitsFor of ["model", "model", "channel:test"])
        await store.lanes.retry(await claimed(store), { afterMs: LATER, reason: "away", waitsFor });
      const again = await reopen();
      const { lanes } = again;
      assert.deepEqual(await lanes.waits(), [
        { waitsFor: "channel:test", lanes: 1, reason: "away" },
        { waitsFor: "model", lanes: 2, reason: "away" },
      ]);
      await noneToClaim(again);
      assert.equal(await lanes.wake("model"), 2);
      const woken = [await claimed(again), await claimed(again)];
      assert.deepEqual(
        woken.map((claim) => claim.message.id),
        ["a", "b"],
      );
      await noneToClaim(again);
      assert.equal(await lanes.wake("nothing"), 0);
    },
  "INB-01: a few are woken first that were tried longest ago": timed(async ({ store, pass }) => {
    const { lanes } = store;
    await lanes.accept(["a", "b", "c"].map((sender) => message(sender, sender)));
    const [a, b, c] = (await lanes.claim(3, LEASE)).toSorted((x, y) => x.number - y.number);
    for (const claim of [b!, a!]) {
      await lanes.retry(claim, { afterMs: LATER, reason: "away", waitsFor: "model", tried: true });
      await pass(1_000);
    }
    await lanes.retry(c!, { afterMs: LATER, reason: "away", waitsFor: "model" });
    const order: (string | undefined)[] = [];
    for (let n = 0; n < 3; n++) {
      assert.equal(await lanes.wake("model", 1), 1);
      order.push((await claimed(store)).message.id);
    }
    assert.deepEqual(order, ["c", "b", "a"]);
  }),
  "INB-01: a wait is no failure, and what is begun anew after an outcome counts from one": timed(
    async ({ store, pass }) => {
      const { lanes } = store;
      await lanes.accept([message("a", "1")]);
      await pass(5_000);
      await lanes.retry(await claimed(store), { afterMs: 0, reason: "away", tried: true });
      await pass(3_000);
      await lanes.retry(await claimed(store), { afterMs: 0, reason: "its own", counts: true });
      await claimed(store, 10_000);
      await pass(10_000);
      const claim = await claimed(store);
      assert.deepEqual([claim.deliveryCount, claim.begun, claim.failures], [4, 2, 1]);
      near(claim.ageMs, 18_000);
      near(claim.triedMsAgo, 13_000);
    },
  ),
  "CTX-07: what was begun too often is left alone where that is asked, and holds up its own lane alone":
    timed(async ({ store, pass }) => {
      const { lanes } = store;
      await lanes.accept([message("a", "1"), message("a", "2"), message("b", "3")]);
      for (let n = 0; n < 2; n++) {
        await claimed(store, 1_000);
        await pass(1_000);
      }
      const few = { begunBelow: 2 };
      const ids = (await lanes.claim(9, LEASE, few)).map((claim) => claim.message.id);
      assert.deepEqual([ids, await lanes.claim(9, LEASE, few)], [["3"], []]);
      near(await lanes.dueIn(few), LEASE);
      assert.ok((await lanes.dueIn({ begunBelow: 3 }))! <= 0);
      const [claim] = await lanes.claim(9, LEASE, { begunBelow: 3 });
      assert.deepEqual([claim?.message.id, claim?.begun], ["1", 3]);
    }),
  "CTX-07: a notice is kept once, is sent as it is, and waits behind nothing of its conversation": async ({
    store,
    reopen,
  }) => {
    await store.lanes.accept([message("a", "1")]);
    const busy = await claimed(store);
    assert.equal(await store.lanes.post(notice("a", "n1")), true);
    assert.equal(await store.lanes.post(notice("a", "n1")), false);
    const told = await claimed(store);
    assert.deepEqual([told.reply, told.isNotice, busy.isNotice], ["notice n1", true, false]);
    await store.lanes.ack(told);
    const { lanes } = await reopen();
    assert.equal(await lanes.post(notice("a", "n1")), false);
  },
  "CTX-07: a message becomes a dead letter and its sender's notice kept in one step": async ({ store }) => {
    const { lanes } = store;
    await lanes.accept([message("a", "1")]);
    const claim = await claimed(store);
    await lanes.deadLetter(claim, "poison", notice("a", "n1"));
    await lanes.deadLetter(claim, "poison", notice("a", "n2"));
    assert.equal((await claimed(store)).reply, "notice n1");
    await noneToClaim(store);
  },
  "INB-03: of one sender no more than the bound wait, in one delivery or several; others are not touched":
    async ({ store }) => {
      const { lanes } = store;
      const many = [1, 2, 3].map((n) => message("a", `${n}`));
      assert.deepEqual(await lanes.accept(many, { maxPerSender: 2 }), ["accepted", "accepted", "over"]);
      assert.deepEqual(await lanes.accept([message("a", "1"), message("b", "4")], { maxPerSender: 2 }), [
        "duplicate",
        "accepted",
      ]);
      await lanes.ack(await claimed(store));
      assert.deepEqual(await lanes.accept([message("a", "3")], { maxPerSender: 2 }), ["accepted"]);
    },
  "ST-03: CHA-06: the same answer may be recorded again, and adds no second turn": async ({ store }) => {
    const { lanes, sessions } = store;
    await lanes.accept([message("a", "1")]);
    const claim = await claimed(store);
    for (let n = 0; n < 2; n++) await lanes.answer(claim, "hello", "test:a", turn(1));
    await isLost(lanes.answer(claim, "another", "test:a", turn(2)));
    assert.deepEqual(await sessions.recent("test:a", 5), turn(1));
  },
  "ST-09: CHA-06: a reply, a reason, a lane and a key may hold any text": async ({ store, reopen }) => {
    const odd = "nul \u0000, quote ' \", half \ud83d of a sign, 日本語 🙂";
    await store.lanes.accept([{ ...message("a", odd), channel: "odd" }, message("b", "2")]);
    const [first, second] = (await store.lanes.claim(2, LEASE)).toSorted((a, b) => a.number - b.number);
    await store.lanes.answer(first!, odd, "odd:a", turn(1));
    await store.lanes.retry(first!, { afterMs: 0, reason: odd });
    await store.lanes.deadLetter(second!, odd);
    await store.values.put(odd, odd, 1);
    const whole = odd.toWellFormed();
    const again = await reopen();
    const claim = await claimed(again);
    assert.deepEqual([claim.reply?.toWellFormed(), claim.message.id.toWellFormed()], [whole, whole]);
    const [dead] = await again.lanes.page("dead", 1);
    assert.equal(dead?.reason?.toWellFormed(), whole);
    assert.equal(await again.values.get(odd, odd), 1);
    await again.lanes.ack(claim);
  },
};
