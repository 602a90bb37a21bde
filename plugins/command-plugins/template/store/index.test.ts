import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { storeContract } from "@gantry/sdk/testing";
import plugin from "./index.ts";
import { openStore } from "./store.ts";

let passed = 0;
const now = (): number => Date.now() + passed;
const pass = async (ms: number): Promise<void> => void (passed += ms);

async function open() {
  const folder = mkdtempSync(path.join(tmpdir(), "store-"));
  const file = path.join(folder, "kept");
  // `reopen` is what a new process finds: open your file or database again here.
  return {
    store: await openStore(file, now),
    reopen: () => openStore(file, now),
    close: async () => rmSync(folder, { recursive: true }),
  };
}

describe("the contract of a store", () => {
  for (const { name, run } of storeContract({ open, pass })) test(name, run);
});

test("the plugin states its facts", () => {
  assert.equal(plugin.name, "store-example");
});
