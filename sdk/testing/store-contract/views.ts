import assert from "node:assert/strict";
import { textParts, type ChatMessage } from "../../index.ts";
import { turn, type Cases } from "./cases.ts";

const base: readonly ChatMessage[] = [{ role: "user", parts: textParts("what was before") }];

export const viewCases: Cases = {
  "CACHE-01: what a view leaves out leaves in steps, so that it begins with the same turn for many turns":
    async ({ store: { sessions } }) => {
      const firsts: unknown[] = [];
      for (let number = 1; number <= 12; number += 1) {
        await sessions.append("s", turn(number));
        const { turns } = await sessions.view("s", 6);
        firsts.push(turns[0]);
        assert.ok(
          turns.length <= 6 && turns.length >= Math.min(number, 4),
          `${turns.length} turns are shown`,
        );
        assert.deepEqual(turns.at(-1), turn(number));
      }
      assert.deepEqual(firsts, [1, 1, 1, 1, 1, 1, 4, 4, 4, 7, 7, 7].map(turn));
      assert.deepEqual((await sessions.view("s", 1)).turns, [turn(12)]);
    },
  "CTX-02: a base stands in place of the turns before it; people still read those": async ({
    store: { sessions },
    reopen,
  }) => {
    for (const number of [1, 2]) await sessions.append("s", turn(number));
    assert.equal(await sessions.compact("s", 0, base), true);
    await sessions.append("s", turn(3));
    const again = (await reopen()).sessions;
    assert.deepEqual(await again.view("s", 9), { generation: 1, base, turns: [turn(3)] });
    assert.equal((await again.recent("s", 9)).length, 3 * turn(1).length);
    assert.equal((await again.list(1))[0]?.turns, 3);
  },
  "CTX-06: of two who compact the same view one does": async ({ store: { sessions } }) => {
    await sessions.append("s", turn(1));
    const both = await Promise.all([sessions.compact("s", 0, base), sessions.compact("s", 0, [])]);
    assert.deepEqual(both.toSorted(), [false, true]);
    assert.equal((await sessions.view("s", 9)).generation, 1);
  },
  "CTX-05: the last turn is taken back, but not out of a base": async ({ store: { sessions } }) => {
    for (const number of [1, 2]) await sessions.append("s", turn(number));
    assert.equal(await sessions.rewind("s"), true);
    assert.deepEqual((await sessions.view("s", 9)).turns, [turn(1)]);
    await sessions.compact("s", 0, base);
    assert.equal(await sessions.rewind("s"), false);
    assert.equal(await sessions.rewind("nobody"), false);
    assert.equal((await sessions.recent("s", 9)).length, turn(1).length);
  },
  "CTX-05: a session gets another id with all that belongs to it, and the old id is free again": async ({
    store: { sessions },
    reopen,
  }) => {
    await sessions.open("s", "test:1");
    await sessions.append("s", turn(1));
    await sessions.compact("s", 0, base);
    await sessions.share("s", "test:2");
    assert.equal(await sessions.rename("nobody", "x"), false);
    assert.equal(await sessions.rename("s", "old"), true);
    assert.deepEqual(await sessions.view("s", 9), { generation: 0, base: [], turns: [] });
    await sessions.append("s", turn(2));
    assert.equal(await sessions.rename("s", "old"), false);
    const again = (await reopen()).sessions;
    assert.deepEqual(await again.view("old", 9), { generation: 1, base, turns: [] });
    assert.deepEqual(await again.access("old"), { owner: "test:1", sharedWith: ["test:2"] });
    assert.deepEqual(await again.recent("old", 9), turn(1));
    assert.deepEqual(await again.recent("s", 9), turn(2));
  },
  "CTX-05: a removed session leaves no base behind": async ({ store: { sessions } }) => {
    await sessions.append("s", turn(1));
    await sessions.compact("s", 0, base);
    await sessions.remove("s");
    assert.deepEqual(await sessions.view("s", 9), { generation: 0, base: [], turns: [] });
  },
};
