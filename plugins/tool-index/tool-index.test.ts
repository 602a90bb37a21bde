import { definePlugin, Tools, ToolSources, type ChatRequest, type Tool, type ToolSource } from "@gantry/sdk";
import { bundledPlugin, fakeProvider, startTestHost, toolContract } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test } from "vitest";
import plugin from "./index.ts";
import { callTool } from "./call-tool.ts";
import { searchTool } from "./search-tool.ts";

const autonomy = await bundledPlugin("guard-autonomy");

function deferred(name: string, description: string, more: Partial<Tool> = {}): Tool {
  const input = Type.Object({ title: Type.String() });
  return { name, description, input, deferred: true, run: async () => `${name} ran`, ...more };
}

/** A source whose list is another whenever it is told so. */
function source(first: readonly Tool[]) {
  let [list, changed] = [first, () => {}];
  const value: ToolSource = {
    name: "server",
    tools: async () => list,
    onChange: (tell) => void (changed = tell),
  };
  const filled = definePlugin({
    name: "tools-server",
    provides: [ToolSources],
    setup: (host) => host.provide(ToolSources, value),
  });
  const set = (tools: readonly Tool[]): void => {
    list = tools;
    changed();
  };
  return { plugin: filled, set };
}

const many = (count: number): readonly Tool[] =>
  Array.from({ length: count }, (_, i) => deferred(`tool_${i}`, `Does the thing number ${i}.`));
const search = (query: string) => ({ calls: [{ name: "tool_search", args: { query } }] });
const callOf = (tool: string, args: object) => ({ calls: [{ name: "tool_call", args: { tool, args } }] });
const prefixOf = ({ tools, messages }: ChatRequest): string => JSON.stringify([tools, messages[0]?.parts]);

test("SDK-19: a request is the same bytes with 200 deferred tools, with 3, and with none", async () => {
  const server = source(many(200));
  const model = fakeProvider(["a", "b", "c"]);
  await using t = await startTestHost({ plugins: [plugin, server.plugin, model] });
  for (const tools of [many(200), many(3), []]) {
    server.set(tools);
    await t.ask("go", { keep: false, session: "same", agent: "same" });
  }
  const [most, few, none] = model.requests.map(({ tools }) => JSON.stringify(tools));
  expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["tool_call", "tool_search"]);
  expect([few, none]).toEqual([most, most]);
});

test("SDK-19: a turn finds a deferred tool by words, calls it, and its prefix stays", async () => {
  const made = deferred("create_issue", "Opens a ticket in the tracker.");
  const server = source([...many(40), made]);
  const model = fakeProvider([search("open tickets"), callOf("create_issue", { title: "x" }), "done"]);
  await using t = await startTestHost({ plugins: [plugin, server.plugin, model], config: {} });
  const { tool_calls } = await t.ask("go", { approvals: "yes" });
  expect(tool_calls.map(({ tool }) => tool)).toEqual(["tool_search", "create_issue"]);
  const [first, second, third] = model.requests as [ChatRequest, ChatRequest, ChatRequest];
  expect([prefixOf(second), prefixOf(third)]).toEqual([prefixOf(first), prefixOf(first)]);
  const told = JSON.stringify(second.messages.at(-1));
  expect(told).toContain("create_issue: Opens a ticket");
  expect(told).toContain("title");
  expect(third.messages.at(-1)).toMatchObject({ role: "tool", name: "tool_call", failed: false });
  expect(JSON.stringify(third.messages.at(-1))).toContain("create_issue ran");
});

test("SDK-19: without tools that stand for others, deferred tools are sent like any", async () => {
  const model = fakeProvider(["a"]);
  await using t = await startTestHost({ plugins: [source(many(3)).plugin, model] });
  await t.ask("go");
  expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["tool_0", "tool_1", "tool_2"]);
});

test("SDK-19: a search gives the tools of its own turn alone", async () => {
  const model = fakeProvider([search("thing"), "done"]);
  await using t = await startTestHost({ plugins: [plugin, source(many(9)).plugin, model] });
  await t.ask("go", { tools: ["tool_search", "tool_call", "tool_7"] });
  const told = JSON.stringify(model.requests[1]?.messages.at(-1));
  expect(told).toContain("tool_7");
  expect(told).not.toContain("tool_6");
  expect(told).toContain("1 of 1 further tool");
});

test("SDK-19: tool_search runs unasked where the level is semi-autonomous, and what it finds asks", async () => {
  const model = fakeProvider([search("thing"), callOf("tool_1", { title: "x" }), "done"]);
  await using t = await startTestHost({ plugins: [plugin, autonomy, source(many(3)).plugin, model] });
  const { tool_calls } = await t.ask("go");
  expect(tool_calls).toEqual([
    { tool: "tool_search", decision: "allowed" },
    { tool: "tool_1", decision: "refused", code: "APPROVAL_NO_PERSON" },
  ]);
  expect(t.audit.map(({ tool }) => tool)).not.toContain("tool_call");
});

test("SDK-19: an allow rule for tool_call allows nothing that it names", async () => {
  const rules = { security: { allow: ["tool_call"], auto_approve_tools: ["tool_call"] } };
  await using t = await startTestHost({
    plugins: [plugin, autonomy, source(many(3)).plugin],
    config: rules,
  });
  const named = { tool: "tool_1", args: { title: "x" } };
  expect(await t.call("tool_call", named)).toMatchObject({ code: "APPROVAL_NO_PERSON" });
});

test.each([
  ["a name that no tool has", { tool: "nothing", args: {} }, "TOOL_UNKNOWN"],
  ["itself", { tool: "tool_call", args: { tool: "tool_1", args: {} } }, "TOOL_STANDS_FOR_NONE"],
  ["no arguments", { tool: "tool_1" }, "TOOL_BAD_ARGS"],
  ["arguments that do not fit", { tool: "tool_1", args: { title: 1 } }, "TOOL_BAD_ARGS"],
])("SDK-19: tool_call with %s runs nothing", async (_, args, code) => {
  await using t = await startTestHost({ plugins: [plugin, source(many(3)).plugin] });
  expect(await t.call("tool_call", args)).toMatchObject({ decision: "failed", code });
});

const tools = [
  deferred("create_issue", "Opens a ticket."),
  deferred("listIssues", "Lists what is open."),
  deferred("send_mail", "Sends an issue by mail to somebody."),
  deferred("weather", "The weather of a city.", { input: Type.Object({ city: Type.String() }) }),
];
const find = searchTool(async () => tools);
const namesIn = (text: unknown): readonly string[] =>
  [...String(text).matchAll(/^(\w+): .*\ninput/gm)].map(([, name = ""]) => name);

test.each([
  ["issue", ["create_issue", "listIssues", "send_mail"]],
  ["list issues", ["listIssues", "create_issue", "send_mail"]],
  ["CITY", ["weather"]],
  ["send_mail", ["send_mail"]],
  ["none of them", []],
])("SDK-19: the words `%s` find the tools that hold most of them first", async (query, found) => {
  await using t = await startTestHost({
    plugins: [
      definePlugin({
        name: "tool-find",
        provides: [Tools],
        setup: (host) => host.provide(Tools, find),
      }),
    ],
  });
  expect(namesIn((await t.call("tool_search", { query })).text)).toEqual(found);
});

test("SDK-19: of hundreds that fit, a search gives eight whole and the others by name, bounded", async () => {
  const huge = many(500).map((tool) => ({ ...tool, description: "thing ".repeat(5_000) }));
  await using t = await startTestHost({ plugins: [plugin, source(huge).plugin] });
  const { text } = await t.call("tool_search", { query: "thing" });
  expect(namesIn(text)).toHaveLength(8);
  expect(text).toContain("500 of 500 further tools");
  expect(text.length).toBeLessThan(12_000);
});

test.each([
  [find, { query: "issue" }],
  [callTool, { tool: "create_issue", args: { title: "x" } }],
] as const)("SDK-05: $name keeps the contract of a tool", async (tool, args) => {
  const cases = toolContract({ tool, args, runs: tool !== callTool });
  for (const { run } of cases) await expect(run()).resolves.toBeUndefined();
});
