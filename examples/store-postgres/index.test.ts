import { PGlite } from "@electric-sql/pglite";
import { Store } from "@gantry/sdk";
import { fakeProvider, startTestHost, storeContract } from "@gantry/sdk/testing";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import plugin from "./index.ts";
import { createStore } from "./postgres-store.ts";

let database: PGlite;
beforeAll(async () => void (database = await PGlite.create()), 120_000);
afterAll(() => database.close());

let passed = 0;
const pass = async (ms: number): Promise<void> => void (passed += ms);

/** Each store an empty database; `reopen` is what another node, or this one after a restart, finds. */
async function open() {
  await database.exec("DROP TABLE IF EXISTS gantry");
  const connect = () =>
    createStore(
      async () => database,
      () => passed,
    );
  let current = connect();
  return {
    store: current.store,
    async reopen() {
      await current.close();
      current = connect();
      return current.store;
    },
    close: async () => {},
  };
}

test.for(storeContract({ open, pass }))(
  "SDK-05: on PostgreSQL, $name",
  { timeout: 300_000 },
  async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  },
);

test(
  "SDK-10: a conversation is continued from the database after a restart",
  { timeout: 300_000 },
  async () => {
    const configDir = mkdtempSync(path.join(tmpdir(), "gantry-postgres-"));
    try {
      const model = fakeProvider(["Good day, Ada.", "You are Ada."]);
      const start = () => startTestHost({ plugins: [plugin, model], configDir });
      const first = await start();
      await first.ask("I am Ada");
      const [session] = await first.slot(Store).sessions.list(1);
      await first.stop();
      await using second = await start();
      expect(await second.slot(Store).sessions.recent(session?.id ?? "", 5)).toHaveLength(2);
    } finally {
      rmSync(configDir, { recursive: true });
    }
  },
);
