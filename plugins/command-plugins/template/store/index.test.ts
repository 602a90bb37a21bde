import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { storeContract } from "@gantry/sdk/testing";
import plugin from "./index.ts";
import { createStore } from "./store.ts";

async function open() {
  const store = createStore();
  // `reopen` is what a new process finds: open your file or database again here.
  return { store, reopen: async () => store, close: async () => {} };
}

describe("the contract of a store", () => {
  for (const { name, run } of storeContract({ open })) test(name, run);
});

test("the plugin states its facts", () => {
  assert.equal(plugin.name, "store-example");
});
