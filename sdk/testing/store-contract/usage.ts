import assert from "node:assert/strict";
import type { UsageRow } from "../../fill.ts";
import type { Cases } from "./cases.ts";

const row: UsageRow = {
  at: Date.UTC(2026, 0, 2, 12),
  user: "test:1",
  session: "s",
  purpose: "turn",
  provider: "p",
  model: "m",
  input: 100,
  output: 10,
  cached: 60,
  micros: 5,
  ms: 12.5,
  outcome: "ok",
};

export const usageCases: Cases = {
  "USE-02: requests are added up by day, model and user, over a restart": async ({ store, reopen }) => {
    await store.usage.add(row);
    await store.usage.add({
      ...row,
      at: Date.UTC(2026, 0, 3),
      user: "test:2",
      input: 900,
      micros: null,
      isEstimated: true,
    });
    await store.usage.add({
      ...row,
      model: null,
      outcome: "PROVIDER_SERVER",
      input: 0,
      output: 0,
      cached: 0,
    });
    const { usage } = await reopen();
    assert.deepEqual(
      (await usage.sum("day", 0)).map(({ key, requests, input }) => [key, requests, input]),
      [
        ["2026-01-03", 1, 900],
        ["2026-01-02", 2, 100],
      ],
    );
    assert.deepEqual(
      (await usage.sum("model", 0)).map(({ key, requests }) => [key, requests]),
      [
        ["m", 2],
        ["", 1],
      ],
    );
    assert.deepEqual(
      (await usage.sum("user", 0)).map(({ key }) => key),
      ["test:2", "test:1"],
    );
    assert.deepEqual(await usage.sum("user", 0, "test:1"), [
      {
        key: "test:1",
        requests: 2,
        failed: 1,
        input: 100,
        output: 10,
        cached: 60,
        micros: 10,
        estimated: 0,
        unpriced: 0,
      },
    ]);
    const [second] = await usage.sum("user", 0, "test:2");
    assert.deepEqual([second?.unpriced, second?.estimated], [1, 1]);
    assert.deepEqual(await usage.sum("day", Date.UTC(2026, 0, 4)), []);
  },
  "USE-02: requests are added up by the agent that made them, over a restart": async ({ store, reopen }) => {
    await store.usage.add(row);
    await store.usage.add({ ...row, agent: "writer", input: 900 });
    await store.usage.add({ ...row, agent: "writer", input: 50 });
    const { usage } = await reopen();
    assert.deepEqual(
      (await usage.sum("agent", 0)).map(({ key, requests, input }) => [key, requests, input]),
      [
        ["writer", 2, 950],
        ["", 1, 100],
      ],
    );
  },
};
