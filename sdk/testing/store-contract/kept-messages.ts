import assert from "node:assert/strict";
import { noticeFor, type Lanes } from "../../store/lanes.ts";
import { claimed, LEASE, message, near, noneToClaim, turn, timed, type Cases } from "./cases.ts";

async function numbers(lanes: Lanes, state: "waiting" | "dead"): Promise<readonly number[]> {
  return (await lanes.page(state, 100)).map(({ number }) => number);
}

export const keptCases: Cases = {
  "INB-02: what waits and what is a dead letter is listed in pages, and read whole": async ({
    store,
    reopen,
  }) => {
    await store.lanes.accept([1, 2, 3].map((n) => message(`s${n}`, `${n}`)));
    await store.lanes.deadLetter(await claimed(store), "poison");
    const { lanes } = await reopen();
    const [second, ...more] = await lanes.page("waiting", 1);
    assert.deepEqual([second?.id, second?.state, second?.lane, more.length], ["2", "waiting", "test:s2", 0]);
    const [third] = await lanes.page("waiting", 5, second?.number);
    assert.equal(third?.id, "3");
    const [dead] = await lanes.page("dead", 5);
    const read = await lanes.read(dead?.number ?? 0);
    assert.deepEqual([read?.message, read?.reason, read?.isAnswered], [message("s1", "1"), "poison", false]);
    assert.equal(await lanes.read(1_000_000), undefined);
  },
  "INB-02: a dead letter that is put back is first of its conversation, with what it has of an answer": timed(
    async ({ store, pass }) => {
      const { lanes } = store;
      await lanes.accept([message("a", "1"), message("a", "2")]);
      await pass(5_000);
      const claim = await claimed(store);
      await lanes.answer(claim, "hello", "test:a", turn(1));
      await lanes.deadLetter(claim, "refused");
      const [number = 0] = await numbers(lanes, "dead");
      assert.equal(await lanes.putBack(number), true);
      assert.equal(await lanes.putBack(number), false);
      const again = await claimed(store);
      assert.deepEqual([again.message.id, again.reply, again.failures], ["1", "hello", 0]);
      near(again.ageMs, 0);
      await lanes.ack(again);
      assert.equal((await claimed(store)).message.id, "2");
    },
  ),
  "FLR-19: files of an answer are kept with it, for the next process that sends it": async ({
    store,
    reopen,
  }) => {
    const files = [{ id: "ab".repeat(32), mime: "image/png", bytes: 3, name: "map.png", alt: "The way" }];
    await store.lanes.accept([message("a", "1"), message("a", "2")]);
    const claim = await claimed(store);
    assert.equal(claim.files, undefined);
    await store.lanes.answer(claim, "hello", "test:a", turn(1), files);
    await store.lanes.retry(claim, { afterMs: 0, reason: "the platform is away" });
    const again = await claimed(await reopen());
    assert.deepEqual([again.reply, again.files], ["hello", files]);
  },
  "FLR-08: a claim tells that a process ended while it sent the answer, and that a try was recorded": async ({
    store,
    reopen,
  }) => {
    await store.lanes.accept([message("a", "1")]);
    await store.lanes.answer(await claimed(store), "hello", "test:a", turn(1));
    const { lanes } = await reopen();
    await lanes.recover();
    const [cut] = await lanes.claim(1, LEASE);
    assert.deepEqual([cut?.reply, cut?.begun], ["hello", 2]);
    if (cut) await lanes.retry(cut, { afterMs: 0, reason: "the platform is away" });
    assert.equal((await lanes.claim(1, LEASE))[0]?.begun, 1);
  },
  "INB-02: a dead letter that is put back waits for the turn that runs": async ({ store }) => {
    const { lanes } = store;
    await lanes.accept([message("a", "1"), message("a", "2")]);
    await lanes.deadLetter(await claimed(store), "poison");
    const second = await claimed(store);
    const [number = 0] = await numbers(lanes, "dead");
    await lanes.putBack(number);
    await noneToClaim(store);
    await lanes.ack(second);
    assert.equal((await claimed(store)).message.id, "1");
  },
  "INB-02: what is dropped is gone and still known; what is being answered is not dropped": async ({
    store,
  }) => {
    const { lanes } = store;
    await lanes.accept([message("a", "1"), message("a", "2"), message("a", "3")]);
    const [first = 0, second = 0] = await numbers(lanes, "waiting");
    const claim = await claimed(store);
    assert.deepEqual([await lanes.drop(first), await lanes.drop(second)], [false, true]);
    await lanes.deadLetter(claim, "poison");
    assert.deepEqual([await lanes.drop(first), await lanes.drop(first)], [true, false]);
    assert.deepEqual(await numbers(lanes, "dead"), []);
    assert.deepEqual(await lanes.accept([message("a", "1"), message("a", "2")]), ["duplicate", "duplicate"]);
    assert.equal((await claimed(store)).message.id, "3");
  },
  "INB-02: with a person's message that waits, and is dropped, a notice for them is kept; with no other":
    async ({ store }) => {
      const { lanes } = store;
      const [waits, dead] = [message("a", "1"), message("b", "2")];
      await lanes.accept([waits, dead]);
      const [first = 0, second = 0] = await numbers(lanes, "waiting");
      const about = (given: typeof waits) => noticeFor(given, `dropped:${given.id}`, `dropped ${given.id}`);
      assert.equal(await lanes.drop(first, about(waits)), true);
      const [claim, notice] = [await claimed(store), await claimed(store)];
      await lanes.deadLetter(claim, "poison");
      assert.deepEqual(
        [await lanes.drop(second, about(dead)), await lanes.drop(first, about(waits))],
        [true, false],
      );
      assert.deepEqual([notice.isNotice, notice.reply, notice.message.replyTo], [true, "dropped 1", "a"]);
      await lanes.retry(notice, { afterMs: 0, reason: "away" });
      const [kept = 0, ...more] = await numbers(lanes, "waiting");
      assert.deepEqual([more, await lanes.drop(kept, about(dead))], [[], true]);
      await noneToClaim(store);
    },
  "INB-02: the first of a lane that waits can be dropped, and the next is due at once": async ({ store }) => {
    const { lanes } = store;
    await lanes.accept([message("a", "1"), message("a", "2")]);
    const retry = { afterMs: 86_400_000, reason: "away", waitsFor: "model" };
    await lanes.retry(await claimed(store), retry);
    const [first = 0] = await numbers(lanes, "waiting");
    assert.equal(await lanes.drop(first), true);
    assert.equal((await claimed(store)).message.id, "2");
    assert.deepEqual(await lanes.waits(), []);
  },
};
