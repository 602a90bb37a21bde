import assert from "node:assert/strict";
import { test } from "node:test";
import plugin from "./index.ts";
import { createTally } from "./tally.ts";

const turn = { session: "s", user: "cli:ada", ms: 1 };
const { signal } = new AbortController();

test("it counts turns and those that failed", async () => {
  const { observer, check } = createTally();
  for (const stop of ["EndTurn", "EndTurn", "Error"] as const) await observer.turnEnded?.({ ...turn, stop });
  assert.deepEqual(await check.run(signal), [{ what: "turns", state: "ok", detail: "1 of 3 failed" }]);
});

test("it warns if most turns fail", async () => {
  const { observer, check } = createTally();
  await observer.turnEnded?.({ ...turn, stop: "Error", code: "NO_PROVIDER" });
  assert.equal((await check.run(signal))[0]?.state, "warn");
});

test("the plugin states its facts", () => {
  assert.equal(plugin.name, "observer-example");
});
