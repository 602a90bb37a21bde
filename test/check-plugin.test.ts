import {
  definePlugin,
  directMessage,
  Inbox,
  Routes,
  Store,
  Tools,
  ToolSources,
  type Plugin,
  type RouteRequest,
  type Tool,
} from "@gantry/sdk";
import { checkPlugin, createMemoryStore, emptyStoreState } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test } from "vitest";

/** A store whose every host is a process over one database. */
function sharing(state = emptyStoreState()): Plugin {
  return definePlugin({
    name: "store-shared",
    summary: "One database for all.",
    provides: [Store],
    setup: (host) => host.provide(Store, createMemoryStore(state)),
  });
}

test("SDK-05: a store that holds something is not checked, and nothing is written to it", async () => {
  const state = emptyStoreState();
  const store = createMemoryStore(state);
  await store.memory.remember("cli:owner", "what nobody may touch");
  const before = structuredClone({ ...state });
  const { findings, tried } = await checkPlugin({ plugin: sharing(state), patienceMs: 45_000 });
  expect(findings.map(({ message }) => message)).toEqual([
    "The plugin store-shared holds memories already where its configuration points, and a check writes there, so nothing was tried: name an empty database of its own for the check in the keys that store-shared is tried with.",
  ]);
  expect(tried).toBe(0);
  expect({ ...state }).toEqual(before);
});

test("SDK-05: a store that gives a new host the same data again is tried until then, and the check says so", async () => {
  const { findings, tried, untried } = await checkPlugin({ plugin: sharing(), patienceMs: 45_000 });
  expect(findings).toEqual([]);
  expect(tried).toBeGreaterThan(3);
  expect(untried).toEqual([
    expect.stringMatching(
      /^The plugin store-shared gives a new host the same data again \(.*storeContract\(\)/,
    ),
  ]);
});

const nested = {
  type: "object",
  properties: {
    text: { type: "string", minLength: 2 },
    level: { enum: ["low", "high"] },
    count: { type: "integer", exclusiveMinimum: 3 },
    many: { type: "array", minItems: 1, items: { $ref: "#/$defs/part" } },
    either: { anyOf: [{ type: "null" }, { type: "number" }] },
    code: { type: "string", pattern: "^[A-Z]{3}$", examples: ["ABC"] },
    more: { type: "boolean" },
  },
  required: ["text", "level", "count", "many", "either", "code"],
  $defs: { part: { type: "object", properties: { id: { type: "string" } }, required: ["id"] } },
};
const plain = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };

test.each([
  ["plain JSON Schema", plain],
  ["parts, choices and patterns with an example", nested],
  ["JSON Schema in typebox's hands", Type.Unsafe<object>(plain)],
])("SDK-05: a tool whose input is %s is tried with what that takes", async (_, input) => {
  const tool = { name: "plain", description: "Plain.", input, run: async () => "ok", effects: () => ({}) };
  const plugins = [
    definePlugin({
      name: "tool-plain",
      summary: "Plain.",
      provides: [Tools],
      setup: (host) => host.provide(Tools, tool as unknown as Tool),
    }),
    definePlugin({
      name: "tool-plain-source",
      summary: "Plain.",
      provides: [ToolSources],
      setup: (host) =>
        host.provide(ToolSources, { name: "source", tools: async () => [tool as unknown as Tool] }),
    }),
  ];
  for (const plugin of plugins)
    expect((await checkPlugin({ plugin, patienceMs: 45_000 })).findings).toEqual([]);
});

/** A route that begins a turn, of which `named` says in whose name. */
function beginning(named: (request: RouteRequest) => object): Plugin {
  return definePlugin({
    name: "route-begins",
    summary: "Begins turns.",
    needs: { inbox: Inbox },
    provides: [Routes],
    setup: (host) =>
      host.provide(Routes, {
        name: "POST /begin",
        method: "POST",
        path: "/begin",
        auth: "token",
        may: "talk",
        summary: "Begins a turn.",
        async handle(request) {
          const said = { channel: "http", id: "1", from: "test", text: "hi" };
          const message = directMessage({ ...said, trust: "owner", ...named(request) });
          await host.needs.inbox.prompt(message, { signal: request.signal, approvals: "none" });
          return { status: 200, body: {} };
        },
      }),
  });
}

async function findingsOf(plugin: Plugin) {
  return (await checkPlugin({ plugin, patienceMs: 45_000 })).findings;
}

test("SDK-21: a turn that a route begins is in the name of the device that asked", async () => {
  expect(await findingsOf(beginning(({ caller }) => ({ ...(caller && { caller }) })))).toEqual([]);
  expect(await findingsOf(beginning(() => ({})))).toMatchObject([
    {
      rule: "a turn that a route begins is in the name of the device that asked",
      message: expect.stringContaining("hand `caller` of the request on in the message"),
    },
  ]);
});
