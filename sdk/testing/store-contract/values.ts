import assert from "node:assert/strict";
import type { Cases } from "./cases.ts";

const past = (): number => Date.now() - 1;
const future = (): number => Date.now() + 60_000;

export const valueCases: Cases = {
  "GW-02: a value is given back as it was put, by space and key, and put again replaces it": async ({
    store,
    reopen,
  }) => {
    const value = { text: "日本語 \u0000 '", list: [1, null, true] };
    await store.values.put("a", "k", value);
    await store.values.put("b", "k", 2);
    assert.deepEqual(await store.values.get("a", "k"), value);
    await store.values.put("a", "k", 3, future());
    const again = await reopen();
    assert.deepEqual(
      [await again.values.get("a", "k"), await again.values.get("b", "k"), await again.values.get("b", "x")],
      [3, 2, undefined],
    );
  },
  "GW-02: a value's end may be a fraction of a millisecond": async ({ store: { values } }) => {
    await values.put("s", "put", 1, future() + 0.5);
    assert.equal(await values.add("s", "add", 2, future() + 0.5), true);
    assert.deepEqual([await values.get("s", "put"), await values.get("s", "add")], [1, 2]);
  },
  "GW-02: add puts only where there is nothing": async ({ store: { values } }) => {
    const added = await Promise.all(Array.from({ length: 10 }, (_, n) => values.add("s", "k", n)));
    assert.equal(added.filter(Boolean).length, 1);
    assert.equal(await values.get("s", "k"), added.indexOf(true));
  },
  "GW-02: a taken value is gone, and of many takers one gets it": async ({ store: { values } }) => {
    await values.put("codes", "k", "123456", future());
    const taken = await Promise.all(Array.from({ length: 10 }, () => values.take("codes", "k")));
    assert.deepEqual(
      taken.filter((value) => value !== undefined),
      ["123456"],
    );
    assert.equal(await values.get("codes", "k"), undefined);
  },
  "GW-02: an expired value is not there for anyone": async ({ store: { values } }) => {
    for (const key of ["get", "take", "remove", "add"]) await values.put("s", key, 1, past());
    assert.equal(await values.get("s", "get"), undefined);
    assert.equal(await values.take("s", "take"), undefined);
    assert.equal(await values.remove("s", "remove"), false);
    assert.deepEqual(await values.list("s"), []);
    assert.equal(await values.add("s", "add", 2, future()), true);
    assert.equal(await values.get("s", "add"), 2);
  },
  "GW-02: values are listed by space and removed for good": async ({ store, reopen }) => {
    await store.values.put("tokens", "a", 1);
    await store.values.put("tokens", "b", 2, future());
    await store.values.put("other", "c", 3);
    assert.deepEqual(
      (await store.values.list<number>("tokens")).toSorted((x, y) => x.value - y.value),
      [
        { key: "a", value: 1 },
        { key: "b", value: 2 },
      ],
    );
    assert.equal(await store.values.remove("tokens", "a"), true);
    assert.equal(await store.values.remove("tokens", "a"), false);
    const again = await reopen();
    assert.deepEqual(await again.values.list("tokens"), [{ key: "b", value: 2 }]);
  },
};
