import assert from "node:assert/strict";
import { turn, type Cases } from "./cases.ts";

export const sessionCases: Cases = {
  "AGT-04: a session gives back its last turns whole, oldest message first": async ({
    store: { sessions },
  }) => {
    for (const number of [1, 2, 3, 4]) await sessions.append("s", turn(number));
    assert.deepEqual(await sessions.recent("s", 2), [...turn(3), ...turn(4)]);
    assert.deepEqual(await sessions.recent("s", 50), [1, 2, 3, 4].flatMap(turn));
    assert.deepEqual(await sessions.recent("s", 0), []);
  },
  "AGT-04: an unknown session is empty, and sessions do not mix": async ({ store: { sessions } }) => {
    await sessions.append("a", turn(1));
    await sessions.append("b", turn(2));
    assert.deepEqual(await sessions.recent("nobody", 5), []);
    assert.deepEqual(await sessions.view("nobody", 5), { generation: 0, base: [], turns: [] });
    assert.deepEqual(await sessions.recent("a", 5), turn(1));
  },
  "AGT-04: a session survives a restart to the letter": async ({ store, reopen }) => {
    const odd = [{ role: "user", text: 'line\nbreak, "quote", \u0000, 日本語 🙂, \' OR 1=1 --' }] as const;
    await store.sessions.append("chat:'; DROP TABLE sessions; --", odd);
    const again = await reopen();
    assert.deepEqual(await again.sessions.recent("chat:'; DROP TABLE sessions; --", 5), odd);
  },
  "AGT-04: sessions are listed by their last turn, newest first": async ({ store: { sessions } }) => {
    await sessions.append("old", turn(1));
    await new Promise((resolve) => setTimeout(resolve, 5));
    await sessions.append("new", turn(1));
    await sessions.append("new", turn(2));
    const list = await sessions.list(10);
    assert.deepEqual(
      list.map(({ id, turns }) => ({ id, turns })),
      [
        { id: "new", turns: 2 },
        { id: "old", turns: 1 },
      ],
    );
    assert.match(list[0]!.updated, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal((await sessions.list(1)).length, 1);
  },
  "AGT-04: an empty turn is no turn": async ({ store: { sessions } }) => {
    await sessions.append("s", []);
    assert.deepEqual(await sessions.list(5), []);
  },
  "AGT-04: a removed session is gone, and removing it again says so": async ({ store: { sessions } }) => {
    await sessions.append("s", turn(1));
    assert.equal(await sessions.remove("s"), true);
    assert.equal(await sessions.remove("s"), false);
    assert.deepEqual(await sessions.recent("s", 5), []);
    assert.deepEqual(await sessions.list(5), []);
  },
};
