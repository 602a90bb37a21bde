import assert from "node:assert/strict";
import { test } from "node:test";
import plugin from "./index.ts";
import { createRedactor } from "./numbers.ts";

test("it takes each number out, and nothing else", async () => {
  const { redact } = createRedactor();
  assert.equal(await redact("B-1234567 and B-7654321, not B-12"), "[badge] and [badge], not B-12");
});

test("it holds back all but one character of a number", () => {
  assert.equal(createRedactor().holdBack, "B-1234567".length - 1);
});

test("the plugin states its facts", () => {
  assert.equal(plugin.name, "redact-example");
});
