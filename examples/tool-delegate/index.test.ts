import { textOf } from "@gantry/sdk";
import { checkPlugin, fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { guard, tool } from "../../test/helpers/plugins.ts";
import plugin from "./index.ts";

const config = { plugins_config: { "tool-delegate": { tools: ["look", "delegate"] } } };

test("SDK-10: a second assistant works with a context of its own and fewer tools, behind the same guards", async () => {
  const seen: string[] = [];
  const watcher = guard("watcher", ({ tool: name, user }) => void seen.push(`${user} ${name}`));
  const model = fakeProvider([
    { calls: [{ name: "delegate", args: { task: "count the stars" } }] },
    { calls: [{ name: "look", args: {} }] },
    "Seven.",
    "There are seven stars.",
  ]);
  await using t = await startTestHost({
    plugins: [
      plugin,
      model,
      watcher,
      memoryStore(),
      tool("look", async () => "* * *"),
      tool("burn", async () => ""),
    ],
    config,
  });
  const turn = await t.ask("how many stars?");
  expect(turn.reply).toBe("There are seven stars.");
  const [outer, inner, , last] = model.requests;
  expect(outer?.tools.map(({ name }) => name)).toEqual(["burn", "delegate", "look"]);
  expect(inner?.tools.map(({ name }) => name)).toEqual(["look"]);
  expect(textOf(inner?.messages.at(-1)?.parts ?? [])).toBe("count the stars");
  expect(textOf(last?.messages.at(-1)?.parts ?? [])).toContain("Seven.\n(1 tool calls)");
  expect(seen).toEqual(["cli:test delegate", "cli:test look"]);
});

test("SDK-05: the tool keeps the contract of its kind", async () => {
  expect((await checkPlugin({ plugin })).findings).toEqual([]);
});
