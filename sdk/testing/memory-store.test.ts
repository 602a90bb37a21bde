import { describe, expect, test } from "vitest";
import type { Store } from "../store/store.ts";
import { createMemoryStore, emptyStoreState, endNode } from "./memory-store.ts";
import { type OpenedStore } from "./store-contract/opened.ts";
import { storeContract } from "./store-contract.ts";

let passed = 0;
const pass = async (ms: number): Promise<void> => void (passed += ms);

async function open(): Promise<OpenedStore> {
  const state = emptyStoreState();
  const handle = (node: string): Store => createMemoryStore(state, { node, now: () => Date.now() + passed });
  let node = "first";
  return {
    store: handle(node),
    async reopen() {
      endNode(state, node);
      return handle((node = `after ${node}`));
    },
    close: async () => {},
  };
}

describe("SDK-02: the store for tests keeps the slot's whole contract", () => {
  test.each(storeContract({ open, pass }))("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
