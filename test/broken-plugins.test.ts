import { expect, test } from "vitest";
import {
  ask,
  AuditSinks,
  Checks,
  Commands,
  defineTool,
  refuse,
  Routes,
  Sandbox,
  Store,
  Tools,
  ToolSources,
  type Plugin,
  type ToolSource,
} from "@gantry/sdk";
import { Redactors, ModelRouter } from "@gantry/sdk/fill";
import { checkPlugin, createMemoryStore } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { channel, events, mustBeCaught, guard, plugin, provider, tool } from "./helpers/broken.ts";
import sqlite from "../plugins/store-sqlite/index.ts";

/** Blocks, but only once, so that it costs the test no more. */
function blocking(): () => void {
  let until = 0;
  return () => {
    until ||= process.cpuUsage().user / 1_000 + 1_200;
    while (process.cpuUsage().user / 1_000 < until);
  };
}
const blockOnce = { inSetup: blocking(), inGuard: blocking() };
const done = { type: "stop", reason: "EndTurn" };
const cancelled = { type: "error", failure: { code: "X", message: "cancelled", retry: false } };
const said = { type: "text", text: "hi" };

const listed = {
  name: "thing",
  description: "Does a thing.",
  input: { type: "object", properties: { key: { type: "string" } }, required: ["key"] },
  run: async () => "done",
};
const source = (tools: () => unknown): Plugin =>
  plugin({ provides: [ToolSources] }, (host) =>
    host.provide(ToolSources, { name: "things", tools } as ToolSource),
  );

const broken: readonly (readonly [what: string, plugin: Plugin, sentence: RegExp])[] = [
  [
    "throws in setup",
    plugin({}, () => {
      throw new Error("no disk");
    }),
    /failed in setup: no disk/,
  ],
  [
    "rejects in setup",
    plugin({}, async () => {
      throw new Error("no network");
    }),
    /failed in setup: no network/,
  ],
  [
    "throws when it gets ready",
    plugin({}, (host) =>
      host.onReady(() => {
        throw new Error("port taken");
      }),
    ),
    /get ready: port taken/,
  ],
  [
    "throws when it is disposed",
    plugin({}, (host) =>
      host.onDispose(() => {
        throw new Error("already gone");
      }),
    ),
    /already gone.*mend/,
  ],
  [
    "does not come back when it is disposed",
    plugin({}, (host) => host.onDispose(() => new Promise<void>(() => {}))),
    /did not finish onDispose in \d+ ms.*mend/,
  ],
  [
    "was written for another level",
    Object.freeze({ ...plugin({}), sdk: 99 }),
    /sdk level 99 .*install a newer Gantry/,
  ],
  [
    "has a name that no file can have",
    Object.freeze({ ...plugin({}), name: "../Broken" }),
    /lower-case letters, digits and -/,
  ],
  ["has no summary", plugin({ summary: "" }), /has no summary: say in one line/],
  [
    "has a config that is no object",
    plugin({ config: Type.String() as never }),
    /config must be a Type\.Object/,
  ],
  [
    "has a table that is no dotted name",
    plugin({ table: "a..b", config: Type.Object({}) }),
    /table must be a dotted name/,
  ],
  [
    "has keys without a description",
    plugin({ config: Type.Object({ city: Type.String({ default: "Paris" }) }) }),
    /without a description \(city\): give each key/,
  ],
  [
    "has a default that its own schema refuses",
    plugin({ config: Type.Object({ many: Type.Integer({ default: "x", description: "Many." } as never) }) }),
    /many/,
  ],
  [
    "needs a slot that nobody fills",
    plugin({ needs: { sandbox: Sandbox } }),
    /needs the slot sandbox and no plugin fills it/,
  ],
  [
    "needs a slot that only the host reads",
    plugin({ needs: { tools: Tools } }),
    /needs tools, which only the host may read/,
  ],
  [
    "fills a slot without saying so",
    plugin({}, (host) =>
      host.provide(
        Tools,
        defineTool({ name: "x", description: "x", input: Type.Object({}), run: async () => "" }),
      ),
    ),
    /without listing it in provides: add it/,
  ],
  [
    "says that it fills a slot and does not",
    plugin({ provides: [Store] }),
    /lists store in provides and did not fill it/,
  ],
  [
    "taps a hook without saying so",
    plugin({}, (host) => host.hooks.onAuditEvent.tap(() => {})),
    /taps onAuditEvent without listing it in taps: add it/,
  ],
  [
    "names a hook that is none",
    plugin({ taps: ["beforeLunch" as never] }),
    /taps names beforeLunch, and the hooks are/,
  ],
  [
    "registers twice",
    plugin({ provides: [Checks] }, (host) => {
      for (const _ of [1, 2]) host.provide(Checks, { name: "same", kind: "status", run: async () => [] });
    }),
    /already fills: keep one/,
  ],
  [
    "fills a slot of the host",
    plugin({ provides: [{ id: "audit", many: false, maybe: false } as never] }),
    /fills audit, which the host already fills/,
  ],
  [
    "fills many with a value without a name",
    plugin({ provides: [Commands] }, (host) => host.provide(Commands, {} as never)),
    /has no name/,
  ],
  [
    "serves a route without its auth",
    plugin({ provides: [Routes] }, (host) =>
      host.provide(Routes, {
        name: "r",
        path: "/r",
        handle: async () => ({ status: 200, body: 1 }),
      } as never),
    ),
    /does not state its auth/,
  ],
  ["gives a tool without a description", tool({ description: "" }), /has no description for the model/],
  [
    "gives a tool with an input that is no object",
    tool({ input: Type.String() }),
    /has no Type\.Object\(\) as its input/,
  ],
  ["gives a tool without run()", tool({ run: undefined }), /has no run\(\)/],
  [
    "gives a tool whose time limit is nonsense",
    tool({ timeoutMs: -1 }),
    /The tool thing has a timeoutMs of -1: give milliseconds above 0/,
  ],
  [
    "gives a tool that changes its arguments",
    tool({
      input: Type.Object({ a: Type.String() }),
      effects: (args: { a: string }) => ((args.a = "other"), {}),
    }),
    /failed in effects\(\).*read the arguments only/,
  ],
  [
    "gives a tool whose effects change by themselves",
    tool({ effects: () => ({ commands: [String(Math.random())] }) }),
    /other effects on the second call: compute them from the arguments alone/,
  ],
  [
    "gives a tool whose effects are nonsense",
    tool({ effects: () => ({ paths: ["/etc"] }) }),
    /paths that lack path or access: give \{ paths/,
  ],
  [
    "lists a tool in a source whose effects are nonsense",
    source(async () => [{ ...listed, effects: () => ({ paths: ["/etc"] }) }]),
    /paths that lack path or access: give \{ paths/,
  ],
  [
    "lists no tool in a source",
    source(async () => [{ name: "thing" }]),
    /thing.*(?:no run\(\)|no description)/,
  ],
  [
    "gives a tool whose preview is no text",
    tool({ preview: () => 7 }),
    /answered number in preview\(\): give the text/,
  ],
  [
    "leaves a timer running",
    plugin({}, (host) => host.onReady(() => void setInterval(() => {}, 1_000))),
    /left \d+ Timeout running after it was disposed: stop them in onDispose/,
  ],
  [
    "leaves a listener on the process",
    plugin({}, () => void process.on("SIGUSR2", () => {})),
    /left \d+ process\.on\(SIGUSR2\) running/,
  ],
  [
    "blocks the loop in setup",
    plugin({}, blockOnce.inSetup),
    /let nothing else run for \d+ ms in setup: do heavy work on first use/,
  ],
  [
    "never ends its setup",
    plugin({}, () => new Promise(() => {})),
    /did not finish setup in \d+ ms: it must not wait there/,
  ],
  [
    "uses its host after it was disposed",
    plugin({ provides: [Checks] }, (host) =>
      host.onDispose(() => void host.provide(Checks, { name: "late", kind: "status", run: async () => [] })),
    ),
    /used its host after it was disposed/,
  ],
  [
    "throws later, in a timer",
    plugin({}, (host) =>
      host.onReady(
        () =>
          void setTimeout(() => {
            throw new Error("later");
          }, 1),
      ),
    ),
    /threw where nobody waited for it \(later\): catch what/,
  ],
  [
    "rejects later, where nobody waits",
    plugin({}, (host) => host.onReady(() => void Promise.reject(new Error("lost")))),
    /threw where nobody waited for it \(lost\)/,
  ],
  [
    "guards by throwing",
    guard(({ args }) => {
      if (args.command === "ls") throw new Error("cannot tell");
    }),
    /The guard broken threw for shell .*cannot tell.*answer refuse\(\) where it cannot decide/,
  ],
  ["guards by saying true", guard(() => true), /answered boolean for .*there is no way to allow/],
  ["guards by saying null", guard(() => null), /answered null/],
  [
    "guards by an object of its own",
    guard(() => ({ verdict: "allow", code: "X", reason: "fine" })),
    /there is no way to allow/,
  ],
  [
    "guards without a reason",
    guard(() => refuse({ code: "X", message: "" })),
    /answer refuse\(\), ask\(\) or nothing/,
  ],
  [
    "guards by changing the call",
    guard((call) => void (call.args.command = "true")),
    /change nothing of the call, which is frozen/,
  ],
  [
    "guards without end",
    guard(() => new Promise(() => {})),
    /did not answer in \d+ ms: decide from the call alone/,
  ],
  [
    "guards so slowly that nothing else runs",
    guard(({ args }) => (args.url === "http://" ? blockOnce.inGuard() : undefined)),
    /let nothing else run for \d+ ms over browser/,
  ],
  [
    "guards by counting dry runs",
    guard(
      (
        (n = 0) =>
        () =>
          (n += 1) % 2 ? undefined : ask({ code: "X", message: "every other" })
      )(),
    ),
    /changed its mind about .*look at call\.dryRun/,
  ],
  [
    "answers no status from a channel",
    channel({ send: async () => "ok" }),
    /The channel pigeon answered a sending with "ok": answer \{ status/,
  ],
  [
    "throws from a channel",
    channel({
      send: async () => {
        throw new Error("lost");
      },
    }),
    /threw in send\(\) \(lost\): answer/,
  ],
  [
    "sends without end",
    channel({ send: () => new Promise(() => {}) }),
    /did not answer in \d+ ms after a sending/,
  ],
  ["names a channel with signs", channel({ name: "A:b" }), /other signs than lower-case letters/],
  [
    "streams without end of its answer",
    provider({ chat: () => events(said) }),
    /The provider broken ended its answer 0 times: give exactly one stop or error/,
  ],
  ["streams two ends", provider({ chat: () => events(said, done, done) }), /ended its answer 2 times/],
  ["streams on after the end", provider({ chat: () => events(done, said) }), /went on after its stop/],
  [
    "throws into its stream",
    provider({
      chat: async function* () {
        yield said;
        throw new Error("socket");
      },
    }),
    /threw into its stream \(socket\): give a failure as the last event/,
  ],
  [
    "streams events of its own",
    provider({ chat: () => events({ type: "token", value: "x" }, done) }),
    /an event of the unknown type token: see ProviderEvent/,
  ],
  [
    "changes the request",
    provider({
      chat: async function* (request: { model: unknown }) {
        request.model = "other";
        yield said;
        yield done;
      },
    }),
    /change nothing of the request/,
  ],
  ["has no capabilities", provider({ capabilities: {} }), /does not state its capabilities/],
  [
    "leaves tools out silently",
    provider({ capabilities: { nativeToolCalling: false, vision: false, streaming: true } }),
    /took a request with tools: end such a request with an error/,
  ],
  [
    "lists models that are none",
    provider({ models: async () => [{ id: "a" }] }),
    /models\(\) that are no list of names/,
  ],
  [
    "forgets what it stored",
    plugin({ provides: [Store] }, (host) => {
      const store = createMemoryStore();
      host.provide(Store, { ...store, values: { ...store.values, get: async () => undefined } });
    }),
    /Its store does not keep to .*: run storeContract/,
  ],
];

mustBeCaught(broken);

test("SDK-05: plugins that are right are found right, of every kind", async () => {
  const right: readonly Plugin[] = [
    tool({
      input: Type.Object({ path: Type.String() }),
      effects: ({ path }: { path: string }) => ({ paths: [{ path, access: "read" }] }),
    }),
    guard(({ tool: name }) => (name === "shell" ? ask({ code: "SHELL", message: "a shell" }) : undefined)),
    channel({ working: async () => undefined }),
    provider({
      models: async () => ["a"],
      credential: async () => "none",
      chat: async function* ({ signal }: { signal: AbortSignal }): AsyncGenerator<object> {
        if (signal.aborted) return yield cancelled;
        yield said;
        yield done;
      },
    }),
    sqlite,
    plugin({ provides: [AuditSinks, Redactors, ModelRouter] }, (host) =>
      host.provide(ModelRouter, { async *chat() {}, cooling: () => [] }),
    ),
  ];
  for (const value of right) {
    const { findings, tried } = await checkPlugin({ plugin: value, patienceMs: 45_000 });
    expect(findings).toEqual([]);
    expect(tried).toBeGreaterThan(2);
  }
});
