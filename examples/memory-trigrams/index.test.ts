import { OwnMemory } from "@gantry/sdk";
import { bundledPlugin, checkPlugin, memoryContract, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import plugin from "./index.ts";

test("SDK-10: the memory tools use a memory of another plugin, which finds the misspelt and survives a restart", async () => {
  const configDir = mkdtempSync(path.join(tmpdir(), "gantry-trigrams-"));
  try {
    const tools = await bundledPlugin("tool-memory");
    const start = () => startTestHost({ plugins: [plugin, tools, memoryStore()], configDir });
    const yes = { approvals: "yes" } as const;
    const first = await start();
    await first.call("memory_store", { text: "Ada's bicycle is red" }, yes);
    await first.call("memory_store", { text: "The kettle whistles" }, yes);
    await first.stop();
    await using t = await start();
    const { text } = await t.call("memory_recall", { query: "bycicle" }, yes);
    expect(text).toContain("Ada's bicycle is red");
    expect(text).not.toContain("kettle");
    const memory = t.slot(OwnMemory);
    expect(await memory.recall("cli:somebody", "bicycle", 5)).toEqual([]);
    expect(await memory.prune(0, 1)).toBe(1);
    expect(await memory.erase("cli:test")).toBe(1);
    expect(await memory.count()).toBe(0);
  } finally {
    rmSync(configDir, { recursive: true });
  }
});

test("SDK-05: the memory starts, stops and gives back what it took", async () => {
  expect((await checkPlugin({ plugin })).findings).toEqual([]);
});

async function open() {
  const configDir = mkdtempSync(path.join(tmpdir(), "gantry-trigrams-"));
  const start = () => startTestHost({ plugins: [plugin], configDir });
  let t = await start();
  return {
    memory: t.slot(OwnMemory),
    async reopen() {
      await t.stop();
      t = await start();
      return t.slot(OwnMemory);
    },
    async close() {
      await t.stop();
      rmSync(configDir, { recursive: true });
    },
  };
}

test.for(memoryContract({ open }))("SDK-05: the memory by trigrams, $name", async ({ run }) => {
  await expect(run()).resolves.toBeUndefined();
});
