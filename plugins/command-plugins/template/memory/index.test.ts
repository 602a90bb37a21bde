import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { memoryContract } from "@gantry/sdk/testing";
import plugin from "./index.ts";
import { FileMemory } from "./memory.ts";

async function open() {
  const folder = mkdtempSync(path.join(tmpdir(), "memory-"));
  const start = () => new FileMemory(path.join(folder, "kept"));
  // `reopen` is what a new process finds: open your index or database again here.
  return {
    memory: start(),
    reopen: async () => start(),
    close: async () => rmSync(folder, { recursive: true }),
  };
}

describe("the contract of a memory", () => {
  for (const { name, run } of memoryContract({ open })) test(name, run);
});

test("the plugin states its facts", () => {
  assert.equal(plugin.name, "memory-example");
});
