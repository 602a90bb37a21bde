import { directMessage } from "@gantry/sdk";
import { expect, test } from "vitest";
import { storeFile } from "../../test/helpers/stores.ts";
import { createStore } from "./store.ts";

const { signal } = new AbortController();

/** Two processes on one file, with one message that waits. */
async function twoHandles() {
  const { file, store: one } = storeFile();
  const { store: other, close } = createStore(file);
  await one.lanes.accept([
    directMessage({ channel: "test", id: "1", from: "a", text: "hi", trust: "owner" }),
  ]);
  return { one: one.lanes, other: other.lanes, [Symbol.asyncDispose]: close };
}

test("ST-08: a lease on one file is held until another process has taken the lane", async () => {
  await using t = await twoHandles();
  const [claim] = await t.one.claim(1, 60_000);
  expect(await t.one.isHeld!(claim!, signal)).toBe(true);
  expect(await t.other.isHeld!({ ...claim!, token: "made-up" }, signal)).toBe(false);
  await t.one.retry(claim!, { afterMs: 0, reason: "again" });
  const [late] = await t.one.claim(1, 1);
  await expect.poll(() => t.other.claim(1, 60_000)).toHaveLength(1);
  expect(await t.one.isHeld!(late!, signal)).toBe(false);
});

test("ST-08: a lease that ran out and nobody took is held on, and no other takes it then", async () => {
  await using t = await twoHandles();
  const [claim] = await t.one.claim(1, 1);
  const hold = await t.one.hold("test:b", 1);
  const since = Date.now();
  await expect.poll(() => Date.now() - since).toBeGreaterThan(5);
  for (const lease of [claim!, hold!]) expect(await t.one.isHeld!(lease, signal)).toBe(true);
  expect(await t.other.claim(1, 60_000)).toEqual([]);
  expect(await t.other.hold("test:b", 60_000)).toBeUndefined();
});
