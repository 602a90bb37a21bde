import { Commands, Store } from "@gantry/sdk";
import { userOfTerminal } from "@gantry/sdk/node";
import { startTestHost, type TestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import store from "../store-sqlite/index.ts";
import plugin from "./index.ts";

const start = (memory: object = {}): Promise<TestHost> =>
  startTestHost({ plugins: [plugin, store], config: { memory } });
const call = async (t: TestHost, tool: string, args: object, user = "cli:owner"): Promise<string> =>
  (await t.call(tool, args, { user, approvals: "yes" })).text;

test("AGT-16: a memory under a key replaces what stood there, and nothing else", async () => {
  await using t = await start();
  await call(t, "memory_store", { text: "The office closes at six." });
  expect(await call(t, "memory_store", { key: "office-hours", text: "It closes at six." })).toBe(
    "Remembered as 2.",
  );
  await call(t, "memory_store", { key: "office", text: "It is in Oslo." });
  const replaced = await call(t, "memory_store", { key: "Office-Hours", text: "It closes at five." });
  expect(replaced).toBe("Remembered as 4 in place of 2.");
  const left = (await call(t, "memory_recall", { query: "" })).replaceAll(/ [-\d]{10}/g, "");
  expect(left.split("\n")).toEqual([
    "[4]: [office-hours] It closes at five.",
    "[3]: [office] It is in Oslo.",
    "[1]: The office closes at six.",
  ]);
});

test("AGT-16: a key of one person replaces nothing of another", async () => {
  await using t = await start();
  await call(t, "memory_store", { key: "tea", text: "Green." });
  await call(t, "memory_store", { key: "tea", text: "Black." }, "chatapp:+1");
  expect(await call(t, "memory_recall", { query: "tea" })).toContain("Green.");
});

test("AGT-16: a text that begins like a key has none, and no key replaces it", async () => {
  await using t = await start();
  await call(t, "memory_store", { text: "[office] stands on the door." });
  expect(await call(t, "memory_store", { key: "office", text: "Opens at nine." })).toBe("Remembered as 2.");
  expect(await call(t, "memory_store", { key: "Office", text: "Opens at ten." })).toBe(
    "Remembered as 3 in place of 2.",
  );
  const left = await call(t, "memory_recall", { query: "office" });
  expect(left).toContain("[office] stands on the door.");
  expect(left).toContain("[office] Opens at ten.");
});

test("AGT-16: a memory that an earlier release kept under a key is replaced by it", async () => {
  await using t = await start();
  await t.slot(Store).memory.remember("cli:owner", "[office] Opens at eight.");
  expect(await call(t, "memory_store", { key: "office", text: "Opens at nine." })).toBe(
    "Remembered as 2 in place of 1.",
  );
});

test("AGT-16: in a full memory a key that stands there can still be replaced", async () => {
  await using t = await start({ max_entries: 1 });
  await call(t, "memory_store", { key: "tea", text: "Green." });
  expect(await call(t, "memory_store", { key: "tea", text: "Black." })).toBe(
    "Remembered as 2 in place of 1.",
  );
  expect(await call(t, "memory_store", { text: "Too much." })).toContain("memory.max_entries is 1");
});

test("AGT-16: memory edit leaves a memory its key, and gives none to a text without one", async () => {
  await using t = await start();
  const user = userOfTerminal();
  await call(t, "memory_store", { key: "office", text: "Opens at nine." }, user);
  await call(t, "memory_store", { text: "[door] is said often." }, user);
  const edit = async (...args: readonly string[]) => {
    const said = { out: () => {}, err: () => {}, interactive: false, serve: async () => 1 };
    const context = { ...said, args, options: {}, signal: AbortSignal.timeout(60_000) };
    await t.slot(Commands).get("memory edit")?.run(context);
  };
  await edit("1", "Opens at ten.");
  await edit("2", "[door] is still said.");
  const texts = async () => (await t.slot(Store).memory.recall(user, "", 9)).map(({ text }) => text);
  expect((await texts()).toSorted()).toEqual(["[door] is still said.", "[office] Opens at ten."]);
  await call(t, "memory_store", { key: "door", text: "Is green." }, user);
  await edit("3", "[office] Opens at noon.");
  expect((await texts()).toSorted()).toEqual([
    "[door] Is green.",
    "[door] is still said.",
    "[office] Opens at noon.",
  ]);
});
