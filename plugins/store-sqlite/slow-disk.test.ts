import type * as Fs from "node:fs";
import { join } from "node:path";
import { directMessage } from "@gantry/sdk";
import { expect, test, vi } from "vitest";
import { tempDir } from "../../test/helpers/temp-dir.ts";
import { createStore } from "./store.ts";

const syncs: { readonly end: (error?: Error) => void }[] = [];

vi.mock("node:fs", async (original) => ({
  ...(await original<typeof Fs>()),
  fdatasync: (_: number, done: (error: Error | null) => void) =>
    void syncs.push({ end: (error) => done(error ?? null) }),
}));

function message(id: string) {
  return directMessage({ channel: "t", id, from: id, text: "hello", timestamp: 1 });
}

test("CHA-06: what comes while the disk is slow is written at once, so that it survives a kill, and is confirmed by a sync that began later", async () => {
  using home = tempDir();
  const file = join(home.dir, "gantry.db");
  const { store, close } = createStore(file);
  const other = createStore(file);
  const confirmed: string[] = [];
  const accept = (id: string): Promise<void> =>
    store.lanes.accept([message(id)]).then(() => void confirmed.push(id));
  const first = accept("1");
  await expect.poll(() => syncs.length).toBe(1);
  const rest = [accept("2"), accept("3")];
  await expect.poll(async () => (await other.store.lanes.stats()).waiting).toBe(3);
  expect(confirmed).toEqual([]);
  syncs[0]?.end();
  await first;
  await expect.poll(() => syncs.length).toBe(2);
  expect(confirmed).toEqual(["1"]);
  syncs[1]?.end();
  await Promise.all(rest);

  const failing = [accept("4")];
  await expect.poll(() => syncs.length).toBe(3);
  failing.push(accept("5"));
  await expect.poll(async () => (await other.store.lanes.stats()).waiting).toBe(5);
  syncs[2]?.end(new Error("the disk is gone"));
  expect(await Promise.allSettled(failing)).toMatchObject(
    failing.map(() => ({ status: "rejected", reason: { code: "STORE_FAILED" } })),
  );
  const again = accept("6");
  await expect.poll(() => syncs.length).toBe(4);
  syncs[3]?.end();
  await again;
  await Promise.all([close(), other.close()]);
});
