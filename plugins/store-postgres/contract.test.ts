import { mediaContract, storeContract } from "@gantry/sdk/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { caseDatabase, handlesOn } from "./clock.test-kit.ts";
import { type PostgresServer, serverPrograms, startPostgres } from "./server.test-kit.ts";

describe.runIf(serverPrograms)("on a PostgreSQL server", { timeout: 60_000 }, () => {
  let server: PostgresServer;
  let cases: Awaited<ReturnType<typeof caseDatabase>>;
  beforeAll(async () => {
    server = await startPostgres();
    cases = await caseDatabase(server);
  }, 60_000);
  afterAll(async () => {
    await cases.end();
    await server.stop();
  }, 60_000);

  async function opened(url: string) {
    const { connect, close } = handlesOn(url);
    let current = connect();
    return {
      store: current.store,
      async reopen() {
        await current.close();
        current = connect();
        return current.store;
      },
      close,
    };
  }
  async function open() {
    await cases.empty();
    return opened(cases.url);
  }
  async function openBreakable() {
    const url = await server.database();
    return { ...(await opened(url)), breaks: () => server.cut(url) };
  }
  async function openShared(count: number) {
    const { connect, close } = handlesOn(await server.database());
    return { stores: Array.from({ length: count }, () => connect().store), close };
  }

  const subject = { open, openShared, openBreakable, pass: (ms: number) => cases.pass(ms) };
  test.for(storeContract(subject))("SCL-03: on PostgreSQL, $name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });

  const openMedia = async () => {
    await cases.empty();
    const { connect, close } = handlesOn(cases.url);
    return { media: connect().media, close };
  };
  test.for(mediaContract({ open: openMedia }))("SCL-03: on PostgreSQL, $name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
