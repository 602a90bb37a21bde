import { textOf, textParts } from "../../index.ts";
import assert from "node:assert/strict";
import type { SessionSummary } from "../../fill.ts";
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
    const odd = [
      { role: "user", parts: textParts('line\nbreak, "quote", \u0000, 日本語 🙂, \' OR 1=1 --') },
    ] as const;
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
  "WEB-05: sessions are read page by page, with their first words, each once": async ({
    store: { sessions },
  }) => {
    if (!sessions.page) return;
    for (const id of ["a", "b", "c", "d", "e"]) {
      await sessions.open(id, id < "c" ? "http:one" : "http:two");
      await sessions.append(id, turn(1));
    }
    const all = await sessions.page({ limit: 10 });
    assert.deepEqual(all.map(({ id }) => id).toSorted(), ["a", "b", "c", "d", "e"]);
    assert.ok(all[0]?.title !== undefined && textOf(turn(1)[0]?.parts ?? []).startsWith(all[0].title));
    const paged: string[] = [];
    let last = all.at(0);
    while (last) {
      const page: readonly SessionSummary[] = await sessions.page({ limit: 2, after: last });
      paged.push(...page.map(({ id }) => id));
      last = page.at(-1);
    }
    assert.deepEqual(
      paged,
      all.slice(1).map(({ id }) => id),
    );
    const own = await sessions.page({ limit: 10, owner: "http:one" });
    assert.deepEqual(own.map(({ id }) => id).toSorted(), ["a", "b"]);
  },
  "WEB-05: a search finds sessions by id, owner and words, in letters of any case": async ({
    store: { sessions },
  }) => {
    if (!sessions.page) return;
    await sessions.open("chat:ann", "chat:ann");
    await sessions.append("chat:ann", [{ role: "user", parts: textParts('Where is the "Kettle"?\nHere') }]);
    await sessions.append("other", turn(1));
    const found = async (search: string) =>
      (await sessions.page?.({ limit: 5, search }))?.map(({ id }) => id);
    assert.deepEqual(await found("kettle"), ["chat:ann"]);
    assert.deepEqual(await found('the "KETTLE"?\n'), ["chat:ann"]);
    assert.deepEqual(await found("CHAT:A"), ["chat:ann"]);
    assert.deepEqual(await found("%"), []);
    assert.deepEqual(await found("othe"), ["other"]);
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
  "SEC-17: a conversation belongs to who opened it first, over restarts, and to nobody before": async ({
    store: { sessions },
    reopen,
  }) => {
    assert.equal(await sessions.access("s"), undefined);
    assert.equal(await sessions.open("s", "http:a"), "http:a");
    assert.equal(await sessions.open("s", "http:b"), "http:a");
    await sessions.append("s", turn(1));
    const again = (await reopen()).sessions;
    assert.deepEqual(await again.access("s"), { owner: "http:a", sharedWith: [] });
    assert.deepEqual(
      (await again.list(5)).map(({ id, owner }) => ({ id, owner })),
      [{ id: "s", owner: "http:a" }],
    );
  },
  "SEC-17: of many who open a conversation at once, one owns it": async ({ store: { sessions } }) => {
    const users = Array.from({ length: 10 }, (_, n) => `http:${n}`);
    const owners = new Set(await Promise.all(users.map((user) => sessions.open("s", user))));
    assert.equal(owners.size, 1);
    assert.deepEqual(await sessions.list(5), []);
  },
  "SEC-17: what nobody opened has no owner until somebody does": async ({ store: { sessions } }) => {
    await sessions.append("s", turn(1));
    assert.deepEqual(await sessions.access("s"), { owner: undefined, sharedWith: [] });
    assert.equal(await sessions.open("s", "cli:me"), "cli:me");
  },
  "SEC-17: a conversation is shared by name, once, taken back, and forgotten with it": async ({
    store: { sessions },
  }) => {
    assert.equal(await sessions.share("s", "http:b"), false);
    await sessions.open("s", "http:a");
    assert.equal(await sessions.share("s", "http:b"), true);
    assert.equal(await sessions.share("s", "http:b"), true);
    assert.deepEqual((await sessions.access("s"))?.sharedWith, ["http:b"]);
    assert.equal(await sessions.unshare("s", "http:b"), true);
    assert.equal(await sessions.unshare("s", "http:b"), false);
    await sessions.share("s", "http:c");
    assert.equal(await sessions.remove("s"), true);
    assert.equal(await sessions.access("s"), undefined);
    await sessions.open("s", "http:d");
    assert.deepEqual(await sessions.access("s"), { owner: "http:d", sharedWith: [] });
  },
};
