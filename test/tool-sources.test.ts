import {
  ask,
  definePlugin,
  defineTool,
  refuse,
  ToolCatalog,
  ToolSources,
  type Tool,
  type ToolSource,
} from "@gantry/sdk";
import { fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { guard, tool } from "./helpers/plugins.ts";

/** A tool as a server describes it: a JSON Schema that nobody here made. */
function listed(name: string, more: Partial<Tool> = {}): Tool {
  return defineTool({
    name,
    description: `What the server calls ${name}.`,
    input: {
      type: "object",
      properties: { at: { $ref: "#/$defs/place" } },
      required: ["at"],
      additionalProperties: false,
      $defs: { place: { anyOf: [{ type: "string" }, { type: "integer", minimum: 1 }] } },
    },
    run: async ({ args }) => `${name} at ${String(args["at"])}`,
    ...more,
  });
}

/** A source whose list can be changed, and which says how often it was asked. */
function changing(first: readonly Tool[]) {
  let tools: readonly Tool[] | Error = first;
  let changed: (() => void) | undefined;
  const seen = { asked: 0, withdraw: (): void => {} };
  const source: ToolSource = {
    name: "server",
    async tools() {
      seen.asked += 1;
      if (tools instanceof Error) throw tools;
      return tools;
    },
    onChange: (tell) => void (changed = tell),
  };
  const plugin = definePlugin({
    name: "tools-of-a-server",
    provides: [ToolSources],
    setup: (host) => void (seen.withdraw = host.provide(ToolSources, source)),
  });
  const set = (next: readonly Tool[] | Error): void => {
    tools = next;
    changed?.();
  };
  return { plugin, seen, set };
}
const yes = { approvals: "yes" } as const;

test("SDK-09: the model is offered what a source lists now; a change of the list holds from the next request on", async () => {
  const { plugin, seen, set } = changing([listed("look")]);
  const model = fakeProvider(["one", "two", "three"]);
  await using t = await startTestHost({
    plugins: [plugin, model, memoryStore(), tool("own", async () => "")],
  });
  const offered = (): string[] => model.requests.at(-1)!.tools.map(({ name }) => name);
  await t.ask("a");
  expect(offered()).toEqual(["look", "own"]);
  await t.ask("b");
  expect(seen.asked).toBe(1);
  set([listed("look"), listed("jump")]);
  await t.ask("c");
  expect(offered()).toEqual(["jump", "look", "own"]);
  expect(await t.call("jump", { at: 3 }, yes)).toMatchObject({ text: "jump at 3" });
  seen.withdraw();
  expect(await t.call("jump", { at: 3 }, yes)).toMatchObject({ decision: "failed", code: "TOOL_UNKNOWN" });
});

test("SDK-09: the schema of a source is JSON Schema, and calls are held to it", async () => {
  const { plugin } = changing([listed("look")]);
  await using t = await startTestHost({ plugins: [plugin] });
  expect(await t.call("look", { at: "here" }, yes)).toMatchObject({
    decision: "allowed",
    text: "look at here",
  });
  for (const wrong of [{}, { at: 0 }, { at: true }, { at: "x", more: 1 }])
    expect(await t.call("look", wrong, yes)).toMatchObject({ decision: "failed", code: "TOOL_BAD_ARGS" });
});

test("SDK-09: a tool of a source that does not say what it touches asks, names its source to the guards, and passes the same choke point", async () => {
  const seen: unknown[] = [];
  const watcher = guard("watcher", (call) => {
    seen.push([call.tool, call.source, call.effects.unknown]);
    return call.args["at"] === "the end" ? refuse({ code: "NO", message: "not there" }) : undefined;
  });
  const { plugin } = changing([
    listed("look"),
    listed("read", { effects: () => ({ paths: [] }), source: "mcp" }),
  ]);
  await using t = await startTestHost({ plugins: [plugin, watcher] });
  expect(await t.call("look", { at: "the end" }, yes)).toMatchObject({ decision: "refused", code: "NO" });
  expect(await t.call("read", { at: "here" })).toMatchObject({ decision: "allowed" });
  expect(seen).toEqual([
    ["look", "server", true],
    ["read", "mcp", false],
  ]);
  expect(t.audit.map(({ tool: name, result }) => [name, result])).toContainEqual(["look", "refused: NO"]);
});

test("SDK-09: a source that fails has no tools and is named once; the turn goes on, and it is asked again", async () => {
  const { plugin, seen, set } = changing([]);
  set(new Error("the server is gone"));
  const model = fakeProvider(["one", "two"]);
  await using t = await startTestHost({
    plugins: [plugin, model, memoryStore(), tool("own", async () => "")],
  });
  expect((await t.ask("a")).reply).toBe("one");
  await t.slot(ToolCatalog).list();
  expect(seen.asked).toBe(1);
  const said = t.logs.filter(({ message }) => message.includes("server"));
  expect(said.map(({ message }) => message)).toEqual([
    "The tools of server are not there for now: the server is gone",
  ]);
  set([listed("look")]);
  expect((await t.slot(ToolCatalog).list()).map(({ name }) => name)).toEqual(["look", "own"]);
});

test("SDK-09: a tool of a source takes no name that is there, and a wrong one is left out with a sentence", async () => {
  const { plugin } = changing([listed("own"), listed("bad name"), listed("good")]);
  await using t = await startTestHost({ plugins: [plugin, tool("own", async () => "the plugin's")] });
  expect(await t.call("own", {})).toMatchObject({ text: "the plugin's" });
  expect((await t.slot(ToolCatalog).list()).map(({ name, source }) => [name, source])).toEqual([
    ["good", "server"],
    ["own", undefined],
  ]);
  expect(t.logs.map(({ message }) => message)).toEqual([
    "The tool source server lists the tool `own`, which is left out: it has a name that is taken.",
    "The tool source server lists the tool `bad name`, which is left out: it has a name with other signs than letters, digits, _ and -.",
  ]);
});

test("SDK-09: what shows only while a tool runs is checked by the same guards, and a no ends the run unless the tool says otherwise", async () => {
  const walled = guard("walled", ({ effects }) =>
    effects.urls.some((url) => url.includes("inside"))
      ? refuse({ code: "NO_WAY", message: "That leads inside." })
      : undefined,
  );
  const follow = tool("follow", async ({ args, check }) => {
    await check({ urls: [String(args["to"])] });
    return "arrived";
  });
  await using t = await startTestHost({ plugins: [walled, follow] });
  expect(await t.call("follow", { to: "https://outside.test" })).toMatchObject({ text: "arrived" });
  expect(await t.call("follow", { to: "https://inside.test" })).toEqual({
    decision: "refused",
    code: "NO_WAY",
    text: "That leads inside.",
  });
  expect(t.audit.map(({ result }) => result)).toContain("refused: NO_WAY");
});

test("SDK-09: SEC-02: a question about what shows only while a tool runs needs its person, and what then runs has brought it in", async () => {
  const sources: unknown[] = [];
  const asking = guard("asking", ({ tool: name, effects, sources: held }) => {
    if (name === "look") sources.push(held?.material);
    return effects.urls.length > 0 ? ask({ code: "SURE", message: "Out there?" }) : undefined;
  });
  const follow = tool("follow", async ({ check }) => {
    await check({ urls: ["https://outside.test/page"] });
    return "arrived";
  });
  const look = tool("look", async () => "seen");
  await using t = await startTestHost({ plugins: [asking, follow, look, memoryStore()] });
  expect(await t.call("follow", {})).toMatchObject({ decision: "refused", code: "APPROVAL_NO_PERSON" });
  await t.call("look", {});
  expect(await t.call("follow", {}, { approvals: "yes" })).toMatchObject({ text: "arrived" });
  await t.call("look", {});
  expect(sources).toEqual([[], ["outside.test"]]);
});
