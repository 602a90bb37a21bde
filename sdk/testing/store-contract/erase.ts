import assert from "node:assert/strict";
import { claimed, message, turn, type Cases } from "./cases.ts";

export const eraseCases: Cases = {
  "CTX-05: a person is removed with their conversations, memories and messages; nobody else is": async ({
    store,
    reopen,
  }) => {
    for (const [user, session] of [
      ["test:a", "test:a"],
      ["test:a", "test:a.1"],
      ["test:b", "test:b"],
    ] as const) {
      await store.sessions.open(session, user);
      await store.sessions.append(session, turn(1));
    }
    for (const user of ["test:a", "test:b"]) await store.memory.remember(user, "the red bicycle");
    await store.lanes.accept([message("a", "1"), message("a", "2"), message("b", "3")]);
    const claim = await claimed(store);
    await store.lanes.deadLetter(claim, "poison");

    assert.deepEqual(await store.erase("test:a"), { sessions: 2, memories: 1, messages: 2 });
    const again = await reopen();
    assert.deepEqual(
      (await again.sessions.list(9)).map(({ id }) => id),
      ["test:b"],
    );
    assert.deepEqual(await again.memory.recall("test:a", "bicycle", 9), []);
    assert.equal((await again.memory.recall("test:b", "bicycle", 9)).length, 1);
    const { message: next } = await claimed(again);
    assert.equal(next.id, "3");
    assert.deepEqual(await again.erase("test:a"), { sessions: 0, memories: 0, messages: 0 });
  },
  "CTX-05: a message of a removed person is not taken when it is delivered again": async ({ store }) => {
    await store.lanes.accept([message("a", "1")]);
    await store.erase("test:a");
    assert.deepEqual(await store.lanes.accept([message("a", "1")]), ["duplicate"]);
  },
  "USE-02: what a removed person's requests cost stays, without their name": async ({ store }) => {
    const row = {
      purpose: "turn",
      provider: "p",
      model: "m",
      input: 5,
      output: 1,
      cached: 0,
      micros: 1,
      ms: 1,
    };
    await store.usage.add({ ...row, at: Date.now(), user: "test:a", session: "s", outcome: "ok" });
    await store.erase("test:a");
    assert.deepEqual(
      (await store.usage.sum("user", 0)).map(({ key, input }) => [key, input]),
      [["erased", 5]],
    );
  },
};
