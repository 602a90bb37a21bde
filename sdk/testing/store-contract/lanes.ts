import assert from "node:assert/strict";
import type { InboundMessage } from "../../messages/channel.ts";
import { textParts, type Part } from "../../messages/content.ts";
import type { ChatMessage } from "../../models/provider.ts";
import { claimed, message, near, noneToClaim, turn, timed, type Cases } from "./cases.ts";

export const laneCases: Cases = {
  "CHA-06: a message is accepted once per channel and id, however often it comes": async ({
    store: { lanes },
  }) => {
    assert.deepEqual(await lanes.accept([message("a", "1"), message("a", "2"), message("a", "1")]), [
      "accepted",
      "accepted",
      "duplicate",
    ]);
    assert.deepEqual(await lanes.accept([message("b", "1"), { ...message("a", "1"), channel: "other" }]), [
      "duplicate",
      "accepted",
    ]);
    const raced = await Promise.all(Array.from({ length: 20 }, () => lanes.accept([message("a", "3")])));
    assert.equal(raced.filter(([fresh]) => fresh === "accepted").length, 1);
    assert.deepEqual(await lanes.accept([]), []);
  },
  "CHA-06: a finished message is still known when it is delivered again": async ({ store, reopen }) => {
    await store.lanes.accept([message("a", "1")]);
    await store.lanes.ack(await claimed(store));
    assert.deepEqual(await store.lanes.accept([message("a", "1")]), ["duplicate"]);
    const again = await reopen();
    assert.deepEqual(await again.lanes.accept([message("a", "1")]), ["duplicate"]);
    await noneToClaim(again);
  },
  "CHA-07: a lane gives one message at a time, oldest first, and lanes run beside each other": async ({
    store,
  }) => {
    const { lanes } = store;
    await lanes.accept([message("a", "a1"), message("a", "a2"), message("b", "b1"), message("a", "a3")]);
    const a1 = await claimed(store);
    const b1 = await claimed(store);
    assert.deepEqual([a1.message, a1.deliveryCount, b1.message.id], [message("a", "a1"), 1, "b1"]);
    await noneToClaim(store);
    await lanes.ack(a1);
    const a2 = await claimed(store);
    assert.equal(a2.message.id, "a2");
    await lanes.ack(b1);
    await noneToClaim(store);
    await lanes.ack(a2);
    assert.equal((await claimed(store)).message.id, "a3");
  },
  "CHA-07: a backlog survives a restart in its order": async ({ store, reopen }) => {
    await store.lanes.accept([message("a", "1"), message("b", "2"), message("a", "3"), message("c", "4")]);
    await claimed(store);
    const again = await reopen();
    await again.lanes.recover();
    const seen: string[] = [];
    for (let n = 0; n < 4; n++) {
      const claim = await claimed(again);
      seen.push(claim.message.id);
      await again.lanes.ack(claim);
    }
    assert.deepEqual(seen, ["1", "2", "3", "4"]);
  },
  "CHA-06: an answer and its turn are recorded in one step, and a later claim only has to send it": async ({
    store,
    reopen,
  }) => {
    await store.lanes.accept([message("a", "1")]);
    const claim = await claimed(store);
    assert.equal(claim.reply, undefined);
    await store.lanes.answer(claim, "hello", "test:a", turn(1));
    const again = await reopen();
    await again.lanes.recover();
    const next = await claimed(again);
    assert.deepEqual([next.message.id, next.reply, next.deliveryCount], ["1", "hello", 2]);
    assert.deepEqual(await again.sessions.recent("test:a", 5), turn(1));
    await again.lanes.ack(next);
    assert.deepEqual(await again.lanes.stats(), { waiting: 0, running: 0, deadLetters: 0 });
  },
  "CHA-06: all that a message and its turn hold comes back, also what a later release has put there": async ({
    store,
    reopen,
  }) => {
    const later = { type: "later", of: ["a", null, 1.5] } as unknown as Part;
    const whole: InboundMessage = {
      ...message("a", "1"),
      sender: { id: "a", name: "Ada" },
      conversation: { id: "room", kind: "group", thread: "7", title: "Room" },
      replyTo: { chat: 1, topic: [null, "7", true] },
      parts: [...textParts("hello"), later],
      quoted: [...textParts("said before"), later],
      mentioned: true,
      trust: "member",
      trace: "00-trace",
      session: "own",
    };
    const said: readonly ChatMessage[] = [
      {
        role: "user",
        parts: [{ type: "text", text: "hello", from: "a page" }, later],
        at: 1_800_000_000_000,
      },
      { role: "assistant", parts: textParts("yes"), toolCalls: [], providerData: { seal: ["a", 1] } },
    ];
    Object.assign(whole, { later: { any: ["thing"] } });
    await store.lanes.accept([whole]);
    const claim = await claimed(store);
    assert.deepEqual(claim.message, whole);
    await store.lanes.answer(claim, "yes", "test:room#7", said);
    const again = await reopen();
    await again.lanes.recover();
    assert.deepEqual((await claimed(again)).message, whole);
    assert.deepEqual(await again.sessions.recent("test:room#7", 5), said);
  },
  "CHA-07: a message to be tried again falls due at its time, and its lane waits behind it": timed(
    async ({ store, pass }) => {
      const { lanes } = store;
      await lanes.accept([message("a", "a1"), message("a", "a2"), message("b", "b1")]);
      await lanes.retry(await claimed(store), { afterMs: 5000, reason: "the platform is busy" });
      const b1 = await claimed(store);
      assert.equal(b1.message.id, "b1");
      await lanes.ack(b1);
      await pass(3_500);
      await noneToClaim(store);
      near(await lanes.dueIn(), 1_500);
      await pass(1_500);
      const a1 = await claimed(store);
      assert.deepEqual([a1.message.id, a1.deliveryCount], ["a1", 2]);
    },
  ),
  "CHA-07: a time to try again may be a fraction of a millisecond": timed(async ({ store, pass }) => {
    await store.lanes.accept([message("a", "1")]);
    await store.lanes.retry(await claimed(store), { afterMs: 0.25, reason: "the platform is busy" });
    await pass(1_000);
    assert.equal((await claimed(store)).message.id, "1");
  }),
  "CHA-07: a poison message becomes a dead letter with its reason, and the lane goes on": async ({
    store,
  }) => {
    const { lanes } = store;
    await lanes.accept([message("a", "bad"), message("a", "good")]);
    await lanes.deadLetter(await claimed(store), "four tries failed");
    assert.deepEqual(await lanes.stats(), { waiting: 1, running: 0, deadLetters: 1 });
    const [aside, ...more] = await lanes.page("dead", 10);
    assert.deepEqual([aside?.id, aside?.reason, more.length], ["bad", "four tries failed", 0]);
    assert.ok(Date.parse(aside?.ended ?? "") > 0);
    assert.equal((await claimed(store)).message.id, "good");
    assert.deepEqual(await lanes.accept([message("a", "bad")]), ["duplicate"]);
  },
  "CHA-07: what waits and what runs is counted, and the next due time is told": async ({ store }) => {
    const { lanes } = store;
    assert.equal(await lanes.dueIn(), undefined);
    assert.deepEqual(await lanes.stats(), { waiting: 0, running: 0, deadLetters: 0 });
    await lanes.accept([message("a", "1"), message("a", "2"), message("b", "3")]);
    assert.ok((await lanes.dueIn())! <= 0);
    const claim = await claimed(store);
    assert.deepEqual(await lanes.stats(), { waiting: 2, running: 1, deadLetters: 0 });
    await lanes.ack(claim);
    assert.deepEqual(await lanes.stats(), { waiting: 2, running: 0, deadLetters: 0 });
    for (let n = 0; n < 2; n++) await lanes.ack(await claimed(store));
    assert.equal(await lanes.dueIn(), undefined);
  },
};
