import { mkdirSync } from "node:fs";
import path from "node:path";
import { definePlugin, defineTool, textOf, Tools } from "@gantry/sdk";
import { checkPlugin, fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test } from "vitest";
import plugin from "./index.ts";

const empty = Type.Object({});
const stars = definePlugin({
  name: "tool-stars",
  provides: [Tools],
  setup(host) {
    const look = { name: "look", description: "The sky.", input: empty, run: async () => "* * *" };
    host.provide(Tools, defineTool(look));
    host.provide(
      Tools,
      defineTool({ name: "burn", description: "Burns.", input: empty, run: async () => "" }),
    );
  },
});
const config = { plugins_config: { "tool-delegate": { tools: ["look", "delegate"] } } };

test("SDK-10: a second assistant works with a context of its own and fewer tools, behind the same guards", async () => {
  const seen: string[] = [];
  const watcher = definePlugin({
    name: "guard-watcher",
    taps: ["beforeToolCall"],
    setup(host) {
      host.hooks.beforeToolCall.tap(({ tool, user }) => void seen.push(`${user} ${tool}`));
    },
  });
  const model = fakeProvider([
    { calls: [{ name: "delegate", args: { task: "count the stars" } }] },
    { calls: [{ name: "look", args: {} }] },
    "Seven.",
    "There are seven stars.",
  ]);
  await using t = await startTestHost({ plugins: [plugin, model, watcher, memoryStore(), stars], config });
  const turn = await t.ask("how many stars?");
  expect(turn.reply).toBe("There are seven stars.");
  const [outer, inner, , last] = model.requests;
  expect(outer?.tools.map(({ name }) => name)).toEqual(["burn", "delegate", "look"]);
  expect(inner?.tools.map(({ name }) => name)).toEqual(["look"]);
  expect(textOf(inner?.messages.at(-1)?.parts ?? [])).toBe("count the stars");
  expect(textOf(last?.messages.at(-1)?.parts ?? [])).toContain("Seven.\n(1 tool calls)");
  expect(seen).toEqual(["cli:test delegate", "cli:test look"]);
});

test("SDK-17: a second assistant with a folder of its own works there", async () => {
  const where = definePlugin({
    name: "tool-where",
    provides: [Tools],
    setup: (host) =>
      host.provide(Tools, {
        name: "where",
        description: "Where.",
        input: empty,
        run: async ({ cwd }) => path.basename(cwd),
      }),
  });
  const model = fakeProvider([
    { calls: [{ name: "delegate", args: { task: "look around" } }] },
    { calls: [{ name: "where", args: {} }] },
    ({ messages }) => textOf(messages.at(-1)?.parts ?? []),
    ({ messages }) => textOf(messages.at(-1)?.parts ?? []),
  ]);
  const own = { plugins_config: { "tool-delegate": { tools: ["where"], folder: "research" } } };
  await using t = await startTestHost({ plugins: [plugin, model, memoryStore(), where], config: own });
  mkdirSync(path.join(t.runtime.workspace, "research"));
  expect((await t.ask("go")).reply).toContain("research");
});

test("SDK-05: the tool keeps the contract of its kind", async () => {
  expect((await checkPlugin({ plugin })).findings).toEqual([]);
});
