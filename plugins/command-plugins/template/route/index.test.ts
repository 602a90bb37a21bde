import assert from "node:assert/strict";
import { test } from "node:test";
import { callRoute } from "@gantry/sdk/testing";
import plugin from "./index.ts";
import { createRoute } from "./route.ts";

const route = createRoute(() => 0);

test("it adds hours", async () => {
  const answer = await callRoute(route, { path: "/api/example/hours", body: { add: 2 } });
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.json(), { at: "1970-01-01T02:00:00.000Z" });
});

test("a body that does not fit never comes to it", async () => {
  const answer = await callRoute(route, { path: "/api/example/hours", body: { add: "2" } });
  assert.equal(answer.status, 400);
});

test("what it does not know is a coded error", async () => {
  const answer = await callRoute(route, { path: "/api/example/years", body: { add: 2 } });
  assert.equal(answer.status, 400);
  assert.equal(answer.json().error.code, "EXAMPLE_UNKNOWN");
});

test("the plugin states its facts", () => {
  assert.equal(plugin.name, "route-example");
});
