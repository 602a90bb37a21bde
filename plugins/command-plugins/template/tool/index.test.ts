import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { toolContract, toolRun } from "@gantry/sdk/testing";
import plugin from "./index.ts";
import { createTool } from "./tool.ts";

const tool = createTool("Hello");

test("it greets by name", async () => {
  assert.equal(await tool.run(toolRun(tool, { name: "Ada" })), "Hello, Ada!");
});

describe("the contract of a tool", () => {
  for (const { name, run } of toolContract({ tool, args: { name: "Ada" } })) test(name, run);
});

test("the plugin states its facts", () => {
  assert.equal(plugin.name, "tool-example");
});
