import { directMessage, Store } from "@gantry/sdk";
import { fakeProvider, startTestHost, storeContract } from "@gantry/sdk/testing";
import postgres, { type Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import plugin from "./index.ts";
import { createStore } from "./postgres-store.ts";
import { type PostgresServer, serverPrograms, startPostgres } from "./server.test-kit.ts";

describe.runIf(serverPrograms)("on a PostgreSQL server", { timeout: 60_000 }, () => {
  let server: PostgresServer;
  beforeAll(async () => void (server = await startPostgres()), 60_000);
  afterAll(() => server.stop(), 60_000);

  let passed = 0;
  const pass = async (ms: number): Promise<void> => void (passed += ms);

  /** Handles on one database, each with connections of its own as on another machine. */
  function handles(url: string) {
    const clients: Sql[] = [];
    const connect = () => {
      const sql = postgres(url, { max: 2, onnotice: () => {}, connect_timeout: 5 });
      clients.push(sql);
      return createStore(
        () => Promise.resolve(sql),
        () => passed,
      );
    };
    const close = async () => void (await Promise.all(clients.map((sql) => sql.end({ timeout: 1 }))));
    return { connect, close };
  }

  /** Each store an empty database; `reopen` is what another node, or this one after a restart, finds. */
  async function openBreakable() {
    const url = await server.database();
    const { connect, close } = handles(url);
    let current = connect();
    return {
      store: current.store,
      async reopen() {
        await current.close();
        current = connect();
        return current.store;
      },
      breaks: () => server.cut(url),
      close,
    };
  }
  async function openShared(count: number) {
    const { connect, close } = handles(await server.database());
    return { stores: Array.from({ length: count }, () => connect().store), close };
  }

  test.for(storeContract({ open: openBreakable, openShared, openBreakable, pass }))(
    "SDK-05: on PostgreSQL, $name",
    async ({ run }) => {
      await expect(run()).resolves.toBeUndefined();
    },
  );

  test("CHA-06: what one node makes due wakes the others", async () => {
    const { connect, close } = handles(await server.database());
    const [one, other] = [connect().store, connect().store];
    await one.values.put("wake", "k", 1);
    const woken = Promise.withResolvers<void>();
    one.lanes.onDue?.(() => woken.resolve());
    const message = { channel: "test", id: "1", from: "a", text: "hello", timestamp: 1_800_000_000 };
    await other.lanes.accept([directMessage(message)]);
    await expect(woken.promise).resolves.toBeUndefined();
    await close();
  });

  test("SDK-10: a conversation is continued from the database after a restart", async () => {
    const url = await server.database();
    const model = fakeProvider(["Good day, Ada.", "You are Ada."]);
    const config = { plugins_config: { "store-postgres": { url } } };
    const start = () => startTestHost({ plugins: [plugin, model], config });
    const first = await start();
    await first.ask("I am Ada");
    const [session] = await first.slot(Store).sessions.list(1);
    await first.stop();
    await using second = await start();
    expect(await second.slot(Store).sessions.recent(session?.id ?? "", 5)).toHaveLength(2);
  });
});
