import { ask, definePlugin, defineErrors, policy } from "@gantry/sdk";
import { fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { tool } from "../../test/helpers/plugins.ts";
import { delivery, startGraph, message, startChatapp } from "./chatapp.test-kit.ts";

const errors = defineErrors({ ASKS: policy("%s asks.") });
const asking = definePlugin({
  name: "guard-asking",
  taps: ["beforeToolCall"],
  setup: (host) => host.hooks.beforeToolCall.tap(({ tool: name }) => ask(errors.ASKS(name))),
});

/**
 * Delivers a wish for a tool and then a yes, both in the owner's name; tells how often the tool
 * ran.
 */
async function runsAfterYes(table: Readonly<Record<string, unknown>>): Promise<number> {
  let runs = 0;
  const touch = tool("touch", async () => `run ${(runs += 1)}`);
  const model = fakeProvider([{ calls: [{ name: "touch", args: {} }] }, "done", "talk"]);
  await using graph = await startGraph();
  await using chatapp = await startChatapp({ graph, table, plugins: [memoryStore(), model, touch, asking] });
  await chatapp.deliver(delivery(message("touch it")));
  // A question to the owner, or the answer that nobody could be asked.
  await graph.count(1);
  // A word that is older than its question would not count.
  await chatapp.deliver(delivery(message("yes", { timestamp: String(Math.ceil(Date.now() / 1_000)) })));
  await graph.count(2);
  return runs;
}

test("FLR-29: without an app secret a webhook in the owner's name decides nothing", async () => {
  expect(await runsAfterYes({ app_secret: undefined })).toBe(0);
});

test("FLR-29: with an app secret the owner's signed yes decides", async () => {
  expect(await runsAfterYes({})).toBe(1);
});
