import assert from "node:assert/strict";
import { test } from "node:test";
import type { BudgetVerdict } from "@gantry/sdk/fill";
import { createBudget } from "./evening.ts";
import plugin from "./index.ts";

const request = { session: "s", user: "cli:ada", model: undefined };
const at = (time: string) => createBudget(18, () => Date.parse(time)).check(request);

test("before the hour there is something left", async () => {
  assert.equal(await at("2030-01-01T17:59:59Z"), undefined);
});

test("from the hour on nothing is left until the next day", async () => {
  const { code, until } = (await at("2030-01-01T18:00:00Z")) as BudgetVerdict;
  assert.deepEqual([code, until], ["EVENING_OVER", Date.parse("2030-01-02T00:00:00Z")]);
});

test("the plugin states its facts", () => {
  assert.equal(plugin.name, "budget-example");
});
