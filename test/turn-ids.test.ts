import { constantFrom, assert, property, string } from "fast-check";
import {
  definePlugin,
  directMessage,
  Inbox,
  Observers,
  Tools,
  type AuditEvent,
  type ModelAnswer,
  type Observer,
  type Plugin,
  type ToolCall,
  type TurnFacts,
} from "@gantry/sdk";
import { readTraceparent } from "@gantry/sdk/fill";
import {
  createMemoryStore,
  fakeChannel,
  fakeProvider,
  memoryStore,
  startTestHost,
} from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test } from "vitest";
import { tool } from "./helpers/plugins.ts";
import { stopSoon } from "./helpers/waiting.ts";

const given = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";
const traceId = "0af7651916cd43dd8448eb211c80319c";
const call = (name: string) => ({ calls: [{ name, args: {} }] });

function observer(moments: Omit<Observer, "name">): Plugin {
  return definePlugin({
    name: "observer-test",
    provides: [Observers],
    setup: (host) => host.provide(Observers, { name: "test", ...moments }),
  });
}

/** A tool that asks for a turn within its own. */
const nesting = definePlugin({
  name: "tool-nest",
  needs: { inbox: Inbox },
  provides: [Tools],
  setup: (host) =>
    host.provide(Tools, {
      name: "nest",
      description: "Nests.",
      input: Type.Object({}),
      async run({ signal }) {
        const message = directMessage({ channel: "x", id: crypto.randomUUID(), from: "x", text: "in" });
        const foreign = { ...message, traceparent: `00-${"b".repeat(32)}-${"c".repeat(16)}-01` };
        return (await host.needs.inbox.prompt(foreign, { keep: false, approvals: "none", signal })).reply;
      },
    }),
});

test("SDK-18: a turn has an id, and its trace is the one that came with its message, also in turns within it", async () => {
  const turns: TurnFacts[] = [];
  const answers: ModelAnswer[] = [];
  const calls: ToolCall[] = [];
  const traces: (string | undefined)[] = [];
  const seen = observer({
    turnStarted: (turn) => void turns.push(turn),
    modelAnswered: (answer) => void answers.push(answer),
    toolFinished: ({ call: made }) => void calls.push(made),
  });
  const look = tool("look", async ({ trace }) => (traces.push(trace), "seen"));
  const model = fakeProvider([call("nest"), call("look"), "inner", "outer"]);
  await using t = await startTestHost({ plugins: [nesting, look, seen, model, memoryStore()] });
  const message = directMessage({ channel: "cli", id: "1", from: "test", text: "go", trust: "owner" });
  const { signal } = new AbortController();
  await t.slot(Inbox).prompt({ ...message, traceparent: given }, { signal, approvals: "none" });

  const [outer, inner] = turns as [TurnFacts, TurnFacts];
  expect(outer.turn).toMatch(/^[0-9a-f]{16}$/);
  expect(outer).toMatchObject({ trace: `00-${traceId}-${outer.turn}-00`, parent: "b7ad6b7169203331" });
  expect(inner).toMatchObject({ trace: `00-${traceId}-${inner.turn}-00`, parent: outer.turn });
  expect(inner.turn).not.toBe(outer.turn);
  expect(answers.map(({ turn }) => turn)).toEqual([outer.turn, inner.turn, inner.turn, outer.turn]);
  expect(calls.map(({ tool: name, turn }) => [name, turn])).toEqual([
    ["look", inner.turn],
    ["nest", outer.turn],
  ]);
  expect(traces).toEqual([inner.trace]);
});

test("SDK-18: every record and log line of a turn names its trace", async () => {
  const note = tool("note", async ({ log }) => (log.info({}, "Noted."), "ok"));
  const turns: TurnFacts[] = [];
  const seen = observer({ turnStarted: (turn) => void turns.push(turn) });
  await using t = await startTestHost({ plugins: [note, seen, fakeProvider([call("note"), "done"])] });
  await t.ask("go");
  await t.call("note", {});
  const trace = turns[0]?.trace as string;
  expect(readTraceparent(trace)?.spanId).toBe(turns[0]?.turn);
  expect(t.audit.map(({ tool: name, trace: at }: AuditEvent) => [name, at])).toEqual([
    ["note", trace],
    ["note", trace],
    ["note", undefined],
    ["note", undefined],
  ]);
  const noted = t.logs.filter(({ message }) => message === "Noted.");
  expect(noted.map(({ detail }) => detail["traceparent"])).toEqual([trace, undefined]);
});

test("SDK-18: a message that another process tries again goes on with the same trace, and another turn", async () => {
  const turns: TurnFacts[] = [];
  const store = createMemoryStore();
  const seen = observer({ turnStarted: (turn) => void turns.push(turn) });
  for (const outcome of [{ text: "", after: new Promise<void>(() => {}) }, "done"]) {
    const channel = fakeChannel("fake");
    const plugins = [channel, seen, fakeProvider([outcome]), memoryStore(store)];
    const t = await startTestHost({ plugins });
    await t.serve();
    await channel.receive({ text: "hello", id: "message-7" });
    await expect.poll(() => turns.length).toBe(outcome === "done" ? 2 : 1);
    await stopSoon(t);
  }
  const [first, second] = turns.map(({ trace }) => readTraceparent(trace));
  expect(second?.traceId).toBe(first?.traceId);
  expect(second?.spanId).not.toBe(first?.spanId);
});

test("SDK-18: what is not exactly one traceparent is none, and starts a trace of the message's own", async () => {
  const turns: TurnFacts[] = [];
  const seen = observer({ turnStarted: (turn) => void turns.push(turn) });
  await using t = await startTestHost({ plugins: [seen, fakeProvider(["ok"])] });
  const { signal } = new AbortController();
  const message = directMessage({ channel: "cli", id: "1", from: "test", text: "go", trust: "owner" });
  for (const traceparent of [`${given}, ${given}`, given.toUpperCase(), `${given}\n`, `01${given.slice(2)}`])
    await t.slot(Inbox).prompt({ ...message, traceparent }, { signal, approvals: "none", keep: false });
  expect(turns.map(({ trace }) => trace?.includes(traceId))).toEqual([false, false, false, false]);
});

test("SDK-18: readTraceparent() takes 55 characters of one form and nothing else", () => {
  const { traceId: id, spanId, flags } = readTraceparent(given) ?? {};
  expect([id, spanId, flags]).toEqual([traceId, "b7ad6b7169203331", "00"]);
  const zeros = [`00-${"0".repeat(32)}-${"a".repeat(16)}-01`, `00-${"a".repeat(32)}-${"0".repeat(16)}-01`];
  for (const wrong of [...zeros, [given], undefined, "", `ff${given.slice(2)}`])
    expect(readTraceparent(wrong)).toBeUndefined();
  const changed = constantFrom(...Array.from(given, (_, i) => i));
  assert(
    property(changed, string({ minLength: 1, maxLength: 1 }), (at, sign) => {
      const text = given.slice(0, at) + sign + given.slice(at + 1);
      const found = readTraceparent(text);
      const isForm = /^00-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/.test(text);
      return isForm === (found !== undefined);
    }),
  );
});

test("SDK-18: a model request to a server carries no traceparent", async () => {
  const { startModel } = await import("./helpers/model.ts");
  const { bundledPlugin } = await import("@gantry/sdk/testing");
  await using server = await startModel("hi");
  const plugins = await Promise.all(
    ["provider-chat-completions", "net-undici"].map((name) => bundledPlugin(name)),
  );
  await using t = await startTestHost({
    plugins,
    config: { default_provider: server.provider, api_key: "k" },
  });
  expect((await t.ask("go")).reply).toBe("hi");
  expect(JSON.stringify(server.headers)).not.toContain("trace");
});

test("SDK-18: observers are told when a request began, which model and server answered, and what was cached", async () => {
  const answers: ModelAnswer[] = [];
  const seen = observer({ modelAnswered: (answer) => void answers.push(answer) });
  const { createServer } = await import("node:http");
  const usage = { prompt_tokens: 10, completion_tokens: 5 };
  const body = { model: "big-2", choices: [{ message: { content: "hi" }, finish_reason: "stop" }], usage };
  const server = createServer((_, response) => response.end(JSON.stringify(body)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const { bundledPlugin } = await import("@gantry/sdk/testing");
  const plugins = await Promise.all(
    ["provider-chat-completions", "provider-router", "net-undici"].map((name) => bundledPlugin(name)),
  );
  const config = {
    default_provider: `custom:http://127.0.0.1:${port}/v1`,
    default_model: "big",
    api_key: "k",
  };
  const before = Date.now();
  try {
    await using t = await startTestHost({ plugins: [...plugins, seen], config });
    await t.ask("go");
  } finally {
    server.close();
    server.closeAllConnections();
  }
  expect(answers).toMatchObject([{ model: "big", responseModel: "big-2", server: `127.0.0.1:${port}` }]);
  expect(answers[0]?.started).toBeGreaterThanOrEqual(before);
});
