import {
  textOf,
  ask,
  Audit,
  Channels,
  definePlugin,
  defineTool,
  many,
  one,
  optional,
  refuse,
  Routes,
  Sandbox,
  Store,
  Tools,
  type HookName,
  type Plugin,
  type Refusal,
  type Route,
} from "@gantry/sdk";
import { hookKinds, lacking, type HookKind } from "@gantry/sdk/fill";
import { Type } from "typebox";
import { expect, expectTypeOf, test } from "vitest";

/**
 * Checked by `tsc -b`: a line under `@ts-expect-error` that compiles is an error there. These
 * functions are never called.
 */
const Clock = one<{ now(): number }>("types-clock");
const Shapes = many<{ name: string; area: number }>("types-shapes");
const told = { name: "t", description: "t", input: Type.Object({}), run: async () => "" };
const route: Route = {
  name: "GET /t",
  method: "GET",
  path: "/t",
  auth: "token",
  may: "read",
  summary: "t",
  handle: async () => ({ status: 200, text: "" }),
};
const no = { code: "NO", message: "no" };

test("SDK-01: a plugin's configuration and needs have the types of its own facts", () => {
  const plugin = definePlugin({
    name: "typed",
    config: Type.Object({
      size: Type.Integer(),
      inner: Type.Object({ names: Type.Array(Type.String()) }),
      maybe: Type.Optional(Type.Boolean()),
    }),
    needs: { clock: Clock, store: optional(Store), shapes: Shapes },
    setup(host) {
      expectTypeOf(host.config.size).toEqualTypeOf<number>();
      expectTypeOf(host.config.inner.names).toEqualTypeOf<string[]>();
      expectTypeOf(host.config.maybe).toEqualTypeOf<boolean | undefined>();
      expectTypeOf(host.needs.clock.now()).toEqualTypeOf<number>();
      expectTypeOf(host.needs.store).toEqualTypeOf<Store | undefined>();
      expectTypeOf(host.needs.shapes).toEqualTypeOf<ReadonlyMap<string, { name: string; area: number }>>();
      expectTypeOf(host.signal).toEqualTypeOf<AbortSignal>();
      // @ts-expect-error -- no such key
      void host.config.sise;
      // @ts-expect-error -- not among its needs
      void host.needs.sandbox;
      // @ts-expect-error -- may be undefined
      void host.needs.store.sessions;
      // @ts-expect-error -- read only
      host.name = "other";
    },
  });
  expectTypeOf(plugin).toEqualTypeOf<Plugin>();
  expect(plugin.name).toBe("typed");
});

const wrongFacts = (): void => {
  // @ts-expect-error -- no name
  definePlugin({ setup: () => {} });
  // @ts-expect-error -- no setup
  definePlugin({ name: "a" });
  // @ts-expect-error -- no such hook
  definePlugin({ name: "a", taps: ["beforeLunch"], setup: () => {} });
  // @ts-expect-error -- a name is not a slot
  definePlugin({ name: "a", needs: { store: "store" }, setup: () => {} });
  // @ts-expect-error -- a list is not an object of slots
  definePlugin({ name: "a", provides: Clock, setup: () => {} });
  // @ts-expect-error -- a configuration is an object
  definePlugin({ name: "a", config: Type.String(), setup: () => {} });
  // @ts-expect-error -- no such fact
  definePlugin({ name: "a", require: [], setup: () => {} });
};

test("SDK-01: facts that are wrong do not compile", () => {
  expect(wrongFacts).toBeTypeOf("function");
});

test("SDK-01: a slot takes values of its own type only", () => {
  definePlugin({
    name: "filler",
    provides: [Clock, Shapes, Tools, Channels, Routes],
    setup(host) {
      const wrong = (): void => {
        // @ts-expect-error -- not a clock
        host.provide(Clock, { now: () => "noon" });
        // @ts-expect-error -- no area
        host.provide(Shapes, { name: "square" });
        // @ts-expect-error -- no name
        host.provide(Shapes, { area: 1 });
        // @ts-expect-error -- a tool runs
        host.provide(Tools, { name: "t", description: "t", input: Type.Object({}) });
        const { may: _, ...silent } = route;
        // @ts-expect-error -- a route that asks for a token states what it may
        host.provide(Routes, silent);
        // @ts-expect-error -- a route without a token needs no scope
        host.provide(Routes, { ...route, auth: "none" });
        // @ts-expect-error -- no such scope
        host.provide(Routes, { ...route, may: "admin" });
        // @ts-expect-error -- a route needs one scope, not several
        host.provide(Routes, { ...route, may: ["talk", "read"] });
        // @ts-expect-error -- no such scope
        host.provide(Tools, { ...told, may: "admin" });
        // @ts-expect-error -- no such scope
        lacking("admin", { device: "d", may: [] });
        // @ts-expect-error -- a token has scopes that exist
        lacking("talk", { device: "d", may: ["admin"] });
        // @ts-expect-error -- sending gives what came of it
        host.provide(Channels, { name: "c", send: async () => "sent" });
      };
      expect(wrong).toBeTypeOf("function");
      host.provide(Clock, { now: () => 1 });
    },
  });
  const wrong = (): void => {
    // @ts-expect-error -- values of a slot of many have names
    many<{ area: number }>("nameless");
    // @ts-expect-error -- only a slot of one can be optional
    optional(Shapes);
  };
  expect(wrong).toBeTypeOf("function");
});

test("SDK-01: hooks take and answer what they say, and there is no allow", () => {
  definePlugin({
    name: "guard",
    taps: ["beforeToolCall", "onInboundMessage", "resolveProvider", "onAuditEvent"],
    setup({ hooks }) {
      hooks.beforeToolCall.tap((call) => {
        expectTypeOf(call.tool).toEqualTypeOf<string>();
        return call.dryRun ? refuse(no) : ask(no);
      });
      hooks.beforeToolCall.tap(async () => {}, { order: "early", timeoutMs: 5 });
      hooks.onInboundMessage.tap(({ parts }) => (textOf(parts) === "" ? refuse(no) : undefined));
      const wrong = (): void => {
        // @ts-expect-error -- there is no allow
        hooks.beforeToolCall.tap(() => ({ verdict: "allow", code: "A", reason: "a" }));
        // @ts-expect-error -- a truth is not a verdict
        hooks.beforeToolCall.tap(() => true);
        // @ts-expect-error -- a message cannot wait for a person
        hooks.onInboundMessage.tap(() => ask(no));
        // @ts-expect-error -- a name is not a provider
        hooks.resolveProvider.tap(() => "demo");
        // @ts-expect-error -- who is told has no say
        hooks.onAuditEvent.tap(() => refuse(no));
        // @ts-expect-error -- order is one of three words
        hooks.beforeToolCall.tap(() => {}, { order: 5 });
        // @ts-expect-error -- tap, and nothing else
        hooks.beforeToolCall.call({});
        // @ts-expect-error -- tap, and nothing else
        hooks.beforeToolCall.intercept({});
        // @ts-expect-error -- the call cannot be changed
        hooks.beforeToolCall.tap((call) => void (call.tool = "other"));
        // @ts-expect-error -- nor its arguments
        hooks.beforeToolCall.tap((call) => void (call.args["path"] = "other"));
      };
      expect(wrong).toBeTypeOf("function");
    },
  });
  const wrong = (): void => {
    // @ts-expect-error -- a verdict is made by refuse() and ask(), and stays as it is
    refuse(no).verdict = "ask";
    // @ts-expect-error -- a reason and a code
    refuse("no");
  };
  expectTypeOf(refuse(no)).toEqualTypeOf<Refusal>();
  expect(wrong).toBeTypeOf("function");
});

test("SDK-01: a hook without a kind does not compile, and each of the four has one", () => {
  expectTypeOf(hookKinds).toEqualTypeOf<{ readonly [K in HookName]: HookKind }>();
  // @ts-expect-error -- onAuditEvent has no kind
  const wrong: { readonly [K in HookName]: HookKind } = {
    beforeToolCall: "guard",
    onInboundMessage: "guard",
    resolveProvider: "first",
  };
  expect(Object.keys(hookKinds).filter((name) => !(name in wrong))).toEqual(["onAuditEvent"]);
});

const wrongTools = (): void => {
  // @ts-expect-error -- an input is an object
  defineTool({ name: "t", description: "t", input: Type.String(), run: async () => "" });
  // @ts-expect-error -- a number is not an answer
  defineTool({ name: "t", description: "t", input: Type.Object({}), run: async () => 5 });
  defineTool({
    name: "t",
    description: "t",
    input: Type.Object({}),
    // @ts-expect-error -- access is read or write
    effects: () => ({ paths: [{ path: "a", access: "all" }] }),
    run: async () => "",
  });
  // @ts-expect-error -- no description for the model
  defineTool({ name: "t", input: Type.Object({}), run: async () => "" });
};

test("SDK-01: a tool's run, effects and preview know its own arguments", () => {
  const tool = defineTool({
    name: "t",
    description: "t",
    input: Type.Object({ path: Type.String(), count: Type.Optional(Type.Integer()) }),
    effects: ({ path }) => ({ paths: [{ path, access: "read" }] }),
    preview: ({ path, count = 1 }) => path.repeat(count),
    async run({ args, cwd, signal, call }) {
      expectTypeOf(args).toEqualTypeOf<{ path: string; count?: number }>();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      // @ts-expect-error -- no such argument
      void args.other;
      return `${cwd}${await call("other", {})}`;
    },
  });
  expect([tool.name, typeof wrongTools]).toEqual(["t", "function"]);
});

test("SDK-01: what only the host stamps cannot be given, and outcomes of sending are three words", () => {
  const plugin = definePlugin({
    name: "reporter",
    needs: { audit: Audit, sandbox: optional(Sandbox) },
    setup({ needs }) {
      const event = { tool: "", args: {}, result: "", user: "", session_id: "" };
      const wrong = (): void => {
        // @ts-expect-error -- no such kind of event
        void needs.audit.record({ ...event, event_type: "party" });
        // @ts-expect-error -- a result is missing
        void needs.audit.record({ tool: "", args: {}, user: "", session_id: "", event_type: "anomaly" });
        void needs.audit.record({ ...event, event_type: "anomaly" });
      };
      expect(wrong).toBeTypeOf("function");
    },
  });
  expect(Object.keys(plugin.needs ?? {})).toEqual(["audit", "sandbox"]);
});
