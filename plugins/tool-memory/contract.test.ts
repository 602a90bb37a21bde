import { expect, test } from "vitest";
import { Tools } from "@gantry/sdk";
import { memoryStore, startTestHost, toolContract } from "@gantry/sdk/testing";
import plugin from "./index.ts";

test.for([
  ["memory_store", { text: "tea at four" }],
  ["memory_recall", { query: "tea" }],
] as const)("SDK-05: %s keeps the contract of a tool", async ([name, args]) => {
  await using t = await startTestHost({ plugins: [memoryStore(), plugin] });
  const tool = t.slot(Tools).get(name);
  if (!tool) throw new Error(`there is no tool ${name}`);
  for (const { run } of toolContract({ tool, args })) await expect(run()).resolves.toBeUndefined();
});
