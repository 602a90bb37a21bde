import assert from "node:assert/strict";
import { directMessage } from "../../channel.ts";
import type { Notice } from "../../lanes.ts";
import { claimed, LEASE, message, NOW, turn, type Cases } from "./cases.ts";

const LATER = NOW + 86_400_000;

function notice(sender: string, id: string): Notice {
  const told = { ...directMessage({ channel: "test", id, from: sender, text: "" }), parts: [] };
  return { message: told, reply: `notice ${id}`, at: NOW };
}

export const waitCases: Cases = {
  "INB-01: what waits for something falls due once that is back, in its order, and nothing else does":
    async ({ store, reopen }) => {
      await store.lanes.accept(["a", "b", "c"].map((sender) => message(sender, sender)));
      for (const waitsFor of ["model", "model", "channel:test"])
        await store.lanes.retry(await claimed(store, "w"), { at: LATER, reason: "away", waitsFor });
      const { lanes } = await reopen();
      assert.deepEqual(await lanes.waits(), [
        { waitsFor: "channel:test", lanes: 1, reason: "away" },
        { waitsFor: "model", lanes: 2, reason: "away" },
      ]);
      assert.equal(await lanes.claim("w", LEASE, NOW), undefined);
      assert.equal(await lanes.wake("model"), 2);
      assert.deepEqual(
        [await lanes.claim("w", LEASE, NOW), await lanes.claim("w", LEASE, NOW)].map(
          (claim) => claim?.message.id,
        ),
        ["a", "b"],
      );
      assert.equal(await lanes.claim("w", LEASE, NOW), undefined);
      assert.equal(await lanes.wake("nothing"), 0);
    },
  "INB-01: a few are woken first that were tried longest ago": async ({ store }) => {
    const { lanes } = store;
    await lanes.accept(["a", "b", "c"].map((sender) => message(sender, sender)));
    for (const triedAt of [NOW + 3, NOW + 2, undefined]) {
      const retry = { at: LATER, reason: "away", waitsFor: "model", ...(triedAt && { triedAt }) };
      await lanes.retry(await claimed(store, "w"), retry);
    }
    const order: (string | undefined)[] = [];
    for (let n = 0; n < 3; n++) {
      assert.equal(await lanes.wake("model", 1), 1);
      order.push((await lanes.claim("w", LEASE, NOW))?.message.id);
    }
    assert.deepEqual(order, ["c", "b", "a"]);
  },
  "INB-01: a wait is no failure, and what is begun anew after an outcome counts from one": async ({
    store,
  }) => {
    const { lanes } = store;
    await lanes.accept([message("a", "1")], { at: NOW - 5 });
    await lanes.retry(await claimed(store, "w"), { at: NOW, reason: "away", triedAt: NOW });
    await lanes.retry(await claimed(store, "w"), { at: NOW, reason: "its own", counts: true });
    await claimed(store, "dies", NOW, 1000);
    const claim = await claimed(store, "w", NOW + 1000);
    assert.deepEqual(
      [claim.deliveryCount, claim.begun, claim.failures, claim.acceptedAt, claim.triedAt],
      [4, 2, 1, NOW - 5, NOW],
    );
  },
  "CTX-07: what was begun too often is left alone where that is asked, and holds up its own lane alone":
    async ({ store }) => {
      const { lanes } = store;
      await lanes.accept([message("a", "1"), message("a", "2"), message("b", "3")]);
      for (let n = 0; n < 2; n++) await claimed(store, "dies", NOW + n, 1);
      const later = NOW + LEASE;
      const few = { begunBelow: 2 };
      assert.equal((await lanes.claim("w", LEASE, later, few))?.message.id, "3");
      assert.equal(await lanes.claim("w", LEASE, later, few), undefined);
      assert.equal(await lanes.nextDue(few), later + LEASE);
      assert.ok((await lanes.nextDue({ begunBelow: 3 }))! <= later);
      const claim = await lanes.claim("w", LEASE, later, { begunBelow: 3 });
      assert.deepEqual([claim?.message.id, claim?.begun], ["1", 3]);
    },
  "CTX-07: a notice is kept once, is sent as it is, and waits behind nothing of its conversation": async ({
    store,
    reopen,
  }) => {
    await store.lanes.accept([message("a", "1")]);
    const busy = await claimed(store, "w");
    assert.equal(await store.lanes.post(notice("a", "n1")), true);
    assert.equal(await store.lanes.post(notice("a", "n1")), false);
    const told = await claimed(store, "w");
    assert.deepEqual([told.reply, told.isNotice, busy.isNotice], ["notice n1", true, false]);
    await store.lanes.ack(told);
    const { lanes } = await reopen();
    assert.equal(await lanes.post(notice("a", "n1")), false);
  },
  "CTX-07: a message is put aside and its sender's notice kept in one step": async ({ store }) => {
    const { lanes } = store;
    await lanes.accept([message("a", "1")]);
    const claim = await claimed(store, "w");
    await lanes.deadLetter(claim, "poison", notice("a", "n1"));
    await lanes.deadLetter(claim, "poison", notice("a", "n2"));
    assert.equal((await claimed(store, "w")).reply, "notice n1");
    assert.equal(await lanes.claim("w", LEASE, NOW), undefined);
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
      await lanes.ack(await claimed(store, "w"));
      assert.deepEqual(await lanes.accept([message("a", "3")], { maxPerSender: 2 }), ["accepted"]);
    },
  "CHA-06: the same answer may be recorded again, and adds no second turn": async ({ store }) => {
    const { lanes, sessions } = store;
    await lanes.accept([message("a", "1")]);
    const claim = await claimed(store, "w");
    for (let n = 0; n < 2; n++) assert.equal(await lanes.answer(claim, "hello", "test:a", turn(1)), true);
    assert.equal(await lanes.answer(claim, "another", "test:a", turn(2)), false);
    assert.deepEqual(await sessions.recent("test:a", 5), turn(1));
  },
  "CHA-07: after the clock was set, leases and waits last as long as before": async ({ store }) => {
    const { lanes } = store;
    for (const step of [-86_400_000, 86_400_000 * 400]) {
      await lanes.accept([message("a", `a ${step}`), message("b", `b ${step}`)], { at: NOW });
      await lanes.retry(await claimed(store, "w"), { at: NOW + 5000, reason: "busy" });
      const running = await claimed(store, "w", NOW, 1000);
      await lanes.shift(step);
      assert.equal(await lanes.claim("w", LEASE, NOW + step + 999), undefined);
      assert.equal(await lanes.nextDue(), NOW + step + 1000);
      await lanes.ack(running);
      assert.equal(await lanes.nextDue(), NOW + step + 5000);
      const waited = await claimed(store, "w", NOW + step + 5000);
      assert.equal(waited.acceptedAt, NOW + step);
      await lanes.ack(waited);
    }
  },
};
