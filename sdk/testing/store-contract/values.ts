import assert from "node:assert/strict";
import { listAll, type ValuePage } from "../../store/store.ts";
import { timed, type Cases } from "./cases.ts";

const short = { forMs: 60_000 };

export const valueCases: Cases = {
  "GW-02: a value is given back as it was put, by space and key, and put again replaces it": async ({
    store,
    reopen,
  }) => {
    const value = { text: "日本語 \u0000 '", list: [1, null, true] };
    await store.values.put("a", "k", value);
    await store.values.put("b", "k", 2);
    assert.deepEqual(await store.values.get("a", "k"), value);
    await store.values.put("a", "k", 3, short);
    const again = await reopen();
    assert.deepEqual(
      [await again.values.get("a", "k"), await again.values.get("b", "k"), await again.values.get("b", "x")],
      [3, 2, undefined],
    );
  },
  "GW-02: a value's end may be a fraction of a millisecond": async ({ store: { values } }) => {
    await values.put("s", "put", 1, { forMs: 60_000.5 });
    assert.equal(await values.add("s", "add", 2, { forMs: 60_000.5 }), true);
    assert.deepEqual([await values.get("s", "put"), await values.get("s", "add")], [1, 2]);
  },
  "GW-02: add puts only where there is nothing": async ({ store: { values } }) => {
    const added = await Promise.all(Array.from({ length: 10 }, (_, n) => values.add("s", "k", n)));
    assert.equal(added.filter(Boolean).length, 1);
    assert.equal(await values.get("s", "k"), added.indexOf(true));
  },
  "GW-02: a taken value is gone, and of many takers one gets it": async ({ store: { values } }) => {
    await values.put("codes", "k", "123456", short);
    const taken = await Promise.all(Array.from({ length: 10 }, () => values.take("codes", "k")));
    assert.deepEqual(
      taken.filter((value) => value !== undefined),
      ["123456"],
    );
    assert.equal(await values.get("codes", "k"), undefined);
  },
  "GW-02: a value ends by the store's clock, and is then not there for anyone": timed(
    async ({ store: { values }, pass }) => {
      for (const key of ["get", "take", "remove", "if", "add"]) await values.put("s", key, 1, short);
      await pass(50_000);
      assert.equal(await values.get("s", "get"), 1);
      await pass(10_000);
      assert.equal(await values.removeIf("s", "if", 1), false);
      assert.equal(await values.get("s", "get"), undefined);
      assert.equal(await values.take("s", "take"), undefined);
      assert.equal(await values.remove("s", "remove"), false);
      assert.deepEqual(await values.list("s", { limit: 9 }), []);
      assert.equal(await values.add("s", "add", 2, short), true);
      assert.equal(await values.get("s", "add"), 2);
    },
  ),
  "GW-02: values are listed by space and removed for good": async ({ store, reopen }) => {
    await store.values.put("tokens", "a", 1);
    await store.values.put("tokens", "b", 2, short);
    await store.values.put("other", "c", 3);
    assert.deepEqual(await store.values.list<number>("tokens", { limit: 9 }), [
      { key: "a", value: 1 },
      { key: "b", value: 2 },
    ]);
    assert.equal(await store.values.remove("tokens", "a"), true);
    assert.equal(await store.values.remove("tokens", "a"), false);
    const again = await reopen();
    assert.deepEqual(await again.values.list("tokens", { limit: 9 }), [{ key: "b", value: 2 }]);
  },
  "ST-12: GW-02: a value is removed by who knows it, and by one of many": async ({ store: { values } }) => {
    const lock = { owner: "me", list: [1, null] };
    await values.put("locks", "k", lock);
    for (const other of ["me", { owner: "you", list: [1, null] }, undefined])
      assert.equal(await values.removeIf("locks", "k", other), false);
    const removed = await Promise.all(Array.from({ length: 10 }, () => values.removeIf("locks", "k", lock)));
    assert.deepEqual(removed.filter(Boolean), [true]);
    assert.equal(await values.removeIf("locks", "k", lock), false);
  },
  "ST-12: GW-02: values are listed page by page in the order of their keys, and by how their keys begin":
    async ({ store: { values } }) => {
      const keys = ["b", "a/2", "a%", "a/1", "a/3", "a", "aa", ""];
      for (const key of keys) await values.put("s", key, key);
      const list = async (page: ValuePage): Promise<string[]> =>
        (await values.list("s", page)).map(({ key }) => key);
      assert.deepEqual(await list({ limit: 99 }), keys.toSorted());
      assert.deepEqual(await list({ limit: 2, prefix: "a/" }), ["a/1", "a/2"]);
      assert.deepEqual(await list({ limit: 2, prefix: "a/", after: "a/2" }), ["a/3"]);
      assert.deepEqual(await list({ limit: 2, after: "a/3" }), ["aa", "b"]);
      assert.deepEqual(await list({ limit: 9, prefix: "a/", after: "b" }), []);
      assert.deepEqual(await list({ limit: 0 }), []);
      assert.deepEqual(
        (await listAll(values, "s")).map(({ key }) => key),
        keys.toSorted(),
      );
    },
};
