import { definePlugin, Tools, type StatedEffects, type Tool, type ToolCall } from "@gantry/sdk";
import { bundledPlugin, fakeProvider, startTestHost, toolContract } from "@gantry/sdk/testing";
import { array, assert, asyncProperty, boolean, constantFrom, option, record } from "fast-check";
import { Type } from "typebox";
import { expect, test } from "vitest";
import { guard, tool } from "./helpers/plugins.ts";

const [index, autonomy, commands] = await Promise.all(
  ["tool-index", "guard-autonomy", "guard-commands"].map(bundledPlugin),
);

const effects = record(
  {
    paths: array(
      record({ path: constantFrom("a", "../b", "/etc/passwd"), access: constantFrom("read", "write") }),
      { maxLength: 2 },
    ),
    commands: array(constantFrom("ls", "sudo reboot", "git push"), { maxLength: 1 }),
    recipients: array(constantFrom("x@example.com"), { maxLength: 1 }),
  },
  { requiredKeys: [] },
);
const schemas = {
  any: Type.Object({}, { additionalProperties: true }),
  title: Type.Object({ title: Type.String({ minLength: 2 }) }, { additionalProperties: false }),
};
const shape = record({
  effects: option(constantFrom("unknown", "throws"), { freq: 4 }),
  stated: effects,
  input: constantFrom(...(["any", "title"] as const)),
  offered: constantFrom(true, true, true, false),
  may: constantFrom("talk", "manage"),
  hints: option(record({ openWorld: boolean() }), { nil: undefined }),
  source: option(constantFrom("mcp"), { nil: undefined }),
  fails: boolean(),
});
type Shape = typeof shape extends { generate(...args: never): { value: infer T } } ? T : never;

function made(name: string, one: Shape, deferred: boolean): Tool {
  const state = (): StatedEffects | "unknown" => {
    if (one.effects === "throws") throw new Error("cannot say");
    return one.effects === "unknown" ? "unknown" : (one.stated as StatedEffects);
  };
  return {
    name,
    description: `The tool ${name}.`,
    input: schemas[one.input],
    deferred,
    may: one.may as "talk",
    offered: () => one.offered,
    effects: state,
    ...(one.hints && { hints: one.hints }),
    ...(one.source !== undefined && { source: one.source }),
    run: async ({ args }) => ({ text: `${name} ${JSON.stringify(args)}`, failed: one.fails }),
  };
}

const toolsAs = (shapes: readonly Shape[], deferred: boolean) =>
  definePlugin({
    name: "tools-made",
    provides: [Tools],
    setup: (host) => shapes.forEach((one, i) => host.provide(Tools, made(`made_${i}`, one, deferred))),
  });

/** Returns the calls that a guard saw, the outcome of each, and its record. */
async function outcomes(
  shapes: readonly Shape[],
  calls: readonly Called[],
  isDeferred: boolean,
  level: string,
) {
  const seen: object[] = [];
  const spy = guard("spy", (call) => void seen.push(kept(call)));
  const asked = calls.map(({ at, args }, i) => {
    const direct = { name: `made_${at}`, args };
    const named = { name: "tool_call", args: { tool: direct.name, args } };
    return { id: `c${i}`, ...(isDeferred ? named : direct) };
  });
  const model = fakeProvider([{ calls: asked }, "done"]);
  const plugins = [index, autonomy, commands, spy, toolsAs(shapes, isDeferred), model];
  await using t = await startTestHost({
    plugins: plugins.filter((plugin) => plugin !== undefined),
    config: { agent: { autonomy_level: level }, security: { auto_approve_tools: ["made_0"] } },
  });
  const { tool_calls } = await t.ask("go", { session: "s", approvals: "yes" });
  const results = model.requests[1]?.messages.filter(({ role }) => role === "tool");
  return {
    seen,
    tool_calls,
    told: JSON.stringify(results?.map((message) => message.parts)).replaceAll(/\b[0-9a-f]{18}\b/g, ""),
    audit: t.audit.map(({ event_type, tool, args, result }) => [event_type, tool, args, result]),
  };
}

/** All of a call but what each host has of its own: its workspace, sessions and turns. */
function kept({ id, tool, args, effects: stated, user, trust, autonomy, hints, source, dryRun }: ToolCall) {
  const paths = stated.paths.map(({ path, access }) => ({ path, access }));
  return { id, tool, args, effects: { ...stated, paths }, user, trust, autonomy, hints, source, dryRun };
}

interface Called {
  readonly at: number;
  readonly args: Readonly<Record<string, unknown>>;
}
const called = record({
  at: constantFrom(0, 1, 2, 9),
  args: record({ title: constantFrom("x", "long enough", 3) }, { requiredKeys: [] }),
});

test(
  "SDK-19: deferred or sent, guards see, refuse and record the same calls",
  { timeout: 300_000 },
  async () => {
    const levels = constantFrom("supervised", "semi-autonomous", "autonomous");
    const tools = array(shape, { minLength: 1, maxLength: 3 });
    const property = asyncProperty(
      tools,
      array(called, { minLength: 1, maxLength: 4 }),
      levels,
      async (...given) => {
        const [shapes, calls, level] = given;
        const sent = await outcomes(shapes, calls, false, level);
        expect(await outcomes(shapes, calls, true, level)).toEqual(sent);
      },
    );
    await assert(property, { numRuns: 40 });
  },
);

test("SDK-19: a caller's list of tools holds for what tool_call names", async () => {
  const call = { name: "tool_call", args: { tool: "made_1", args: {} } };
  const plain = {
    effects: null,
    stated: {},
    input: "any",
    offered: true,
    may: "talk",
    fails: false,
  } as const;
  const shapes = [plain, plain].map((one) => ({ ...one, hints: undefined, source: undefined }));
  const model = fakeProvider([{ calls: [call] }, "done"]);
  await using t = await startTestHost({
    plugins: [index, toolsAs(shapes, true), model].filter((plugin) => plugin !== undefined),
  });
  const { tool_calls } = await t.ask("go", { tools: ["tool_call", "made_0"] });
  expect(tool_calls).toEqual([{ tool: "made_1", decision: "refused", code: "TOOL_NOT_OFFERED" }]);
});

test("SDK-19: a call that names a call of a tool that stands for others is not run", async () => {
  const ran: string[] = [];
  const seen: string[] = [];
  const spy = guard("spy", (call) => void seen.push(call.tool));
  const note = tool("note", async () => (ran.push("note"), "noted"), { deferred: true });
  const nested = { tool: "tool_call", args: { tool: "note", args: {} } };
  const model = fakeProvider([{ calls: [{ name: "tool_call", args: nested }] }, "done"]);
  const plugins = [index, spy, note, model].filter((plugin) => plugin !== undefined);
  await using t = await startTestHost({ plugins });
  const { tool_calls } = await t.ask("go", { approvals: "yes" });
  const failed = { tool: "tool_call", decision: "failed", code: "TOOL_STANDS_FOR_NONE" };
  expect([tool_calls, seen, ran]).toEqual([[failed], [], []]);
  const recorded = t.audit.map(({ tool: name, result }) => [name, result]);
  expect(recorded).toEqual([["tool_call", "failed: TOOL_STANDS_FOR_NONE"]]);
});

test("SDK-05: a tool that stands for one call and makes another breaks its contract", async () => {
  const tool: Tool = {
    name: "t",
    description: "t",
    input: Type.Object({}),
    standsFor: () => ({ tool: "harmless", args: {} }),
    run: ({ call }) => call("other", {}),
  };
  const sentence = toolContract({ tool, args: {} }).find(({ name }) => name.includes("stands for others"));
  await expect(sentence?.run()).rejects.toThrow('makes the calls [{"tool":"other"');
});

test("SDK-19: a tool that is deferred and stands for others is refused at the start", async () => {
  const tool = { name: "t", description: "t", input: Type.Object({}), run: async () => "" };
  const both = { ...tool, deferred: true, standsFor: () => ({ tool: "x", args: {} }) };
  const plugin = definePlugin({
    name: "tool-both",
    provides: [Tools],
    setup: (host) => host.provide(Tools, both),
  });
  await expect(startTestHost({ plugins: [plugin] })).rejects.toThrow(
    "is deferred and stands for deferred tools",
  );
});
