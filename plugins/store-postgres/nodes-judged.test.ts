import { directMessage, errors } from "@gantry/sdk";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { programs } from "../../test/helpers/programs.ts";
import { handlesOn, withSql } from "./clock.test-kit.ts";
import { type PostgresServer, startPostgres } from "./server.test-kit.ts";

const postgres = programs("initdb");
const hourMs = 3_600_000;
const message = (id: string, from = "a") => directMessage({ channel: "test", id, from, text: "hello" });

describe.runIf(postgres.here)(`who lives, and whose clock counts${postgres.why}`, () => {
  let server: PostgresServer;
  beforeAll(async () => void (server = await startPostgres()), 60_000);
  afterAll(() => server.stop(), 60_000);
  afterEach(() => void vi.useRealTimers());

  test("ST-01: what one node makes due wakes another at once, past a pooler too", async () => {
    const url = await server.database();
    const { connect, close } = handlesOn(url, { prepare: false, directUrl: url });
    const [one, other] = [connect().store, connect().store];
    const woken = Promise.withResolvers<void>();
    other.lanes.onDue(() => woken.resolve());
    await expect.poll(() => listeners(url)).toBe(1);
    await one.lanes.accept([message("1")]);
    await woken.promise;
    await close();
  });

  test("SCL-01: with node.shares_workspace nobody is told that files stay on their node", async () => {
    const url = await server.database();
    for (const sharesWorkspace of [false, true]) {
      const { connect, close } = handlesOn(url, { sharesWorkspace });
      const [one, other] = [connect().nodes, connect().nodes];
      await one.serve();
      expect(one.areApart).toBe(false);
      await other.serve();
      expect(other.areApart).toBe(!sharesWorkspace);
      await close();
    }
  });

  test("ST-04: a caller an hour ahead or behind takes no lane that is held, and waits no longer", async () => {
    const { connect, close } = handlesOn(await server.database());
    const [one, other] = [connect().store.lanes, connect().store.lanes];
    await one.accept([message("1"), message("2", "b")]);
    const [claim] = await one.claim(1, 60_000);
    await one.retry((await one.claim(1, 60_000))[0]!, { afterMs: 10_000, reason: "later" });
    for (const ms of [hourMs, -hourMs]) {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
      expect(await other.claim(9, 60_000)).toEqual([]);
      expect(await other.dueIn()).toBeGreaterThan(5_000);
      expect(await other.dueIn()).toBeLessThanOrEqual(10_000);
      vi.useRealTimers();
    }
    expect(await one.renew(claim!, 60_000)).toBe(true);
    await close();
  });

  test("ST-07: recover frees nothing of a living node right after the database was started again", async () => {
    const { connect, close } = handlesOn(await server.database());
    const [one, other] = [connect(), connect()];
    await one.store.lanes.accept([message("1")]);
    const [claim] = await one.store.lanes.claim(1, 60_000);
    // A claim waits for no disk; what is committed behind it does.
    await one.store.values.put("test", "k", 1);
    await server.crash();
    await server.start();
    const again = async () => {
      await other.store.lanes.recover();
      return other.store.lanes.claim(1, 60_000);
    };
    await expect.poll(() => again().catch(() => "away")).toEqual([]);
    await one.store.lanes.answer(claim!, "hello", "test:a", []);
    await one.store.lanes.ack(claim!);
    await close();
  });

  test("SCL-03: lanes that a call took whose answer was lost are free for the next call, as if untouched", async () => {
    const { connect, close } = handlesOn(await server.database());
    const { db, store } = connect();
    const { lanes } = store;
    await lanes.accept([message("1")]);
    const { call } = db;
    const losing = vi.spyOn(db, "call").mockImplementation(async (name, argument) => {
      const answer = await call.call(db, name, argument);
      if (name !== "gantry_claim") return answer;
      losing.mockRestore();
      throw errors.STORE_FAILED("PostgreSQL", "the connection was lost");
    });
    await expect(lanes.claim(1, 60_000)).rejects.toMatchObject({ code: "STORE_FAILED" });
    expect(await lanes.claim(1, 60_000)).toMatchObject([{ deliveryCount: 1, begun: 1 }]);
    await close();
  });

  test("ST-08: a lease is held at once while its node beats, and not after another has taken the lane", async () => {
    const { connect, close } = handlesOn(await server.database());
    const [one, other] = [connect(), connect().store.lanes];
    const { signal } = new AbortController();
    await one.store.lanes.accept([message("1")]);
    const [claim] = await one.store.lanes.claim(1, 60_000);
    const hold = await one.store.lanes.hold("test:b", 60_000);
    for (const lease of [claim!, hold!]) expect(one.store.lanes.isHeld!(lease, signal)).toBe(true);
    const { call } = one.db;
    const still = vi.spyOn(one.db, "call").mockImplementation(async (name, argument) => {
      if (name === "gantry_beat") throw errors.STORE_FAILED("PostgreSQL", "this node stands still");
      return call.call(one.db, name, argument);
    });
    await expect.poll(() => other.claim(1, 60_000), { timeout: 20_000 }).toHaveLength(1);
    still.mockRestore();
    for (const lease of [claim!, hold!]) expect(await one.store.lanes.isHeld!(lease, signal)).toBe(false);
    const again = await one.store.lanes.hold("test:b", 60_000);
    expect(one.store.lanes.isHeld!(again!, signal)).toBe(true);
    await close();
  });

  test("ST-07: a node that stopped without a word is judged dead by an observer alone, and what it held goes on", async () => {
    const url = await server.database();
    const { connect, close } = handlesOn(url);
    const one = connect();
    await one.store.lanes.accept([message("1")]);
    await one.store.lanes.claim(1, 60_000);
    // Its row stays as that of a process that was killed does, however old its times say it is.
    one.nodes.leave = async () => {};
    await one.close();
    await withSql(url, (sql) => sql`UPDATE nodes SET seen = seen + ${hourMs}, beat = beat + 1`);
    const other = connect();
    const begun = performance.now();
    await expect.poll(() => other.store.lanes.claim(1, 60_000)).toMatchObject([{ message: { id: "1" } }]);
    expect(performance.now() - begun).toBeGreaterThan(5_000);
    await close();
  });
});

async function listeners(url: string): Promise<number> {
  const text = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE query ILIKE 'listen%'";
  return withSql(url, async (sql) => (await sql.unsafe<{ n: number }[]>(text))[0]!.n);
}
