import { describe, expect, test } from "vitest";
import { createMemoryStore } from "./memory-store.ts";
import { type OpenedStore } from "./store-contract/opened.ts";
import { storeContract } from "./store-contract.ts";

async function open(): Promise<OpenedStore> {
  const store = createMemoryStore();
  return { store, reopen: async () => store, close: async () => {} };
}

describe("SDK-02: the store for tests keeps the slot's whole contract", () => {
  test.each(storeContract({ open }))("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
