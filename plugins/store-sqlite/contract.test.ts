import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { storeContract } from "../../sdk/testing/store-contract.ts";
import { machineClock } from "./clock.ts";
import { createStore } from "./store.ts";

async function directory(): Promise<string> {
  return mkdtemp(join(tmpdir(), "gantry-store-"));
}

let passed = 0;
const clock = {
  now: () => machineClock.now() + passed,
  steady: () => machineClock.steady() + passed,
};

const cases = storeContract({
  pass: async (ms) => void (passed += ms),
  async open() {
    const home = await directory();
    const file = join(home, "state", "gantry.db");
    let current = createStore(file, { clock });
    return {
      store: current.store,
      async reopen() {
        await current.close();
        current = createStore(file, { clock });
        return current.store;
      },
      async close() {
        await current.close();
        await rm(home, { recursive: true });
      },
    };
  },
  async openShared(count) {
    const home = await directory();
    const opened = Array.from({ length: count }, () => createStore(join(home, "gantry.db")));
    return {
      stores: opened.map(({ store }) => store),
      async close() {
        for (const { close } of opened) await close();
        await rm(home, { recursive: true });
      },
    };
  },
});

describe("the contract of the slot Store", () => {
  test.for([...cases])("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
