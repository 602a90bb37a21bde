import { directMessage, textParts } from "@gantry/sdk";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { programs } from "../../test/helpers/programs.ts";
import { caseDatabase, handlesOn } from "./clock.test-kit.ts";
import { prune } from "./prune.ts";
import { type PostgresServer, startPostgres } from "./server.test-kit.ts";

const postgres = programs("initdb");
const dayMs = 86_400_000;
const monthMs = 30 * dayMs;

describe.runIf(postgres.here)(`what ends by its age${postgres.why}`, () => {
  let server: PostgresServer;
  let cases: Awaited<ReturnType<typeof caseDatabase>>;
  beforeAll(async () => {
    server = await startPostgres();
    cases = await caseDatabase(server);
  }, 60_000);
  beforeEach(() => cases.empty());
  afterAll(async () => {
    await cases.end();
    await server.stop();
  }, 60_000);

  const message = directMessage({ channel: "test", id: "1", from: "a", text: "hello" });

  test("SCL-03: conversations end a month after their last turn, ids of finished messages after eight days", async () => {
    const { connect, close } = handlesOn(cases.url);
    const { db, store } = connect();
    await store.lanes.accept([message]);
    const [claim] = await store.lanes.claim(1, 60_000);
    await store.lanes.answer(claim!, "hi", "test:a", [{ role: "user", parts: textParts("hello") }]);
    await store.lanes.ack(claim!);
    const left: unknown[] = [];
    const again: unknown[] = [];
    for (let day = 0; day <= 36; day += 6) {
      const pruned = await prune(db, monthMs);
      left.push([day, pruned?.conversations, (await store.sessions.list(9)).length]);
      if (day === 6 || day === 12) again.push(...(await store.lanes.accept([message])));
      await cases.pass(6 * dayMs);
    }
    expect(again).toEqual(["duplicate", "accepted"]);
    expect(left.slice(-2)).toEqual([
      [30, 1, 0],
      [36, 0, 0],
    ]);
    expect(left.slice(0, 5)).toEqual([0, 6, 12, 18, 24].map((day) => [day, 0, 1]));
    await close();
  });

  test("SCL-03: nothing is deleted by age while the clock is far ahead, and one node of many looks", async () => {
    const { connect, close } = handlesOn(cases.url);
    const [one, other] = [connect(), connect()];
    await one.store.sessions.append("s", [{ role: "user", parts: textParts("hello") }]);
    await prune(one.db, monthMs);
    expect(await prune(other.db, monthMs)).toBeUndefined();
    await cases.pass(400 * dayMs);
    expect(await prune(other.db, monthMs)).toMatchObject({ conversations: 0 });
    await cases.pass(dayMs + 1);
    expect(await prune(one.db, monthMs)).toMatchObject({ conversations: 1 });
    await close();
  });
});
