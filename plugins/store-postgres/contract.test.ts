import { mediaContract, storeContract } from "@gantry/sdk/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { programs } from "../../test/helpers/programs.ts";
import { caseDatabase, handlesOn } from "./clock.test-kit.ts";
import { answers, type PostgresServer, startPooler, startPostgres } from "./server.test-kit.ts";

const server = programs("initdb");
const pooler = programs("initdb", "pgbouncer");

/** Each way to the server runs the same contract. */
const ways = [
  { way: "on PostgreSQL", needs: server, isPooled: false },
  { way: "through pgbouncer", needs: pooler, isPooled: true },
];

describe.each(ways)("the contract of the slot Store", { timeout: 60_000 }, ({ way, needs, isPooled }) => {
  let postgres: PostgresServer;
  let cases: Awaited<ReturnType<typeof caseDatabase>>;
  let bouncer: Awaited<ReturnType<typeof startPooler>> | undefined;
  beforeAll(async () => {
    if (!needs.here) return;
    postgres = await startPostgres();
    if (isPooled) bouncer = await startPooler(postgres);
    cases = await caseDatabase(postgres);
  }, 60_000);
  afterAll(async () => {
    await cases?.end();
    await bouncer?.stop();
    await postgres?.stop();
  }, 60_000);

  /** Without a second address nobody is told by the database, and prepared statements are none. */
  const handles = (url: string) =>
    bouncer ? handlesOn(bouncer.address(url), { prepare: false }) : handlesOn(url);

  async function opened(url: string) {
    const { connect, close } = handles(url);
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
    const url = await postgres.database();
    const breaks = async () => {
      const mend = await postgres.cut(url);
      return async () => {
        await mend();
        // A pooler that could not log in says so for a moment more.
        if (bouncer) await answers(bouncer.address(url));
      };
    };
    return { ...(await opened(url)), breaks };
  }
  async function openShared(count: number) {
    const { connect, close } = handles(await postgres.database());
    return { stores: Array.from({ length: count }, () => connect().store), close };
  }
  async function openMedia() {
    await cases.empty();
    const { connect, close } = handles(cases.url);
    return { media: connect().media, close };
  }

  const subject = { open, openShared, openBreakable, pass: (ms: number) => cases.pass(ms) };
  const contract = [...storeContract(subject), ...mediaContract({ open: openMedia })];
  test.runIf(needs.here).for(contract)(`SCL-03: ${way}${needs.why}, $name`, async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
