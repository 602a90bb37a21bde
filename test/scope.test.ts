import {
  definePlugin,
  defineTool,
  many,
  one,
  optional,
  SDK_LEVEL,
  Tools,
  type Plugin,
  type Tool,
  type NeededSlots,
  type PluginHost,
} from "@gantry/sdk";
import { fakeProvider, startTestHost } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test } from "vitest";
import { guard, tool } from "./helpers/plugins.ts";

const Clock = one<{ now(): number }>("test-clock");
const clock = (name: string): Plugin =>
  definePlugin({ name, provides: [Clock], setup: (host) => host.provide(Clock, { now: () => 1 }) });
const user = (name: string): Plugin =>
  definePlugin({ name, needs: { clock: Clock }, setup: (host) => void host.needs.clock.now() });

const bad = (value: object): Plugin =>
  definePlugin({ name: "bad", provides: [Tools], setup: (host) => host.provide(Tools, value as never) });
const named = (name: string): Tool =>
  defineTool({ name, description: name, input: Type.Object({}), run: async () => name });
const never = (): Promise<void> => new Promise(() => {});

function start(...plugins: readonly Plugin[]): Promise<{ code?: string; message?: string }> {
  return startTestHost({ plugins, timeouts: { plugin: 200 } }).then(
    async (t) => (await t.stop(), {}),
    (error: Error & { code: string }) => ({ code: error.code, message: error.message }),
  );
}

test("HST-03: on stop everything that plugins did is undone: hooks, slots, signals, handles back to the count before", async () => {
  const undone: string[] = [];
  const busy = definePlugin({
    name: "busy",
    provides: [Tools, Clock],
    taps: ["beforeToolCall", "onAuditEvent"],
    setup(host) {
      host.provide(Clock, { now: Date.now });
      host.provide(Tools, { name: "t", description: "t", input: Type.Object({}), run: async () => "" });
      host.hooks.beforeToolCall.tap(() => undefined);
      host.hooks.onAuditEvent.tap(() => undefined);
      const timer = setInterval(() => {}, 1_000);
      host.signal.addEventListener("abort", () => clearInterval(timer));
      host.onReady(() => void undone.push("ready"));
      host.onDispose(() => void undone.push("first"));
      host.onDispose(() => void undone.push("second"));
    },
  });
  const t = await startTestHost({ plugins: [busy] });
  expect(t.registrations().filter((line) => line.startsWith("busy: "))).toEqual([
    "busy: test-clock ",
    "busy: tools t",
    "busy: beforeToolCall",
    "busy: onAuditEvent",
  ]);
  await t.stop();
  expect(t.registrations().filter((line) => line.startsWith("busy: "))).toEqual([]);
  expect(undone).toEqual(["ready", "second", "first"]);
  // The test runner has handles of its own, so what one start leaves behind is looked for in many.
  const before = process.getActiveResourcesInfo().length;
  for (let i = 0; i < 20; i += 1) await (await startTestHost({ plugins: [busy] })).stop();
  expect(process.getActiveResourcesInfo().length - before).toBeLessThan(10);
});

test("HST-03: plugins are disposed in reverse order of setup, and one that throws or hangs there stops no other", async () => {
  const disposed: string[] = [];
  const plugin = (name: string, needs: NeededSlots, stop: () => unknown): Plugin =>
    definePlugin({
      name,
      needs,
      setup: (host) => host.onDispose((() => (disposed.push(name), stop())) as () => void),
    });
  const t = await startTestHost({
    plugins: [
      plugin("throws", { clock: Clock }, () => {
        throw new Error("stuck");
      }),
      plugin("hangs", { clock: Clock }, () => new Promise(() => {})),
      definePlugin({
        ...clock("clock"),
        setup: (host) => (
          host.provide(Clock, { now: () => 1 }),
          host.onDispose(() => void disposed.push("clock"))
        ),
      }),
    ],
    timeouts: { plugin: 50 },
  });
  await t.stop();
  expect(disposed).toEqual(["hangs", "throws", "clock"]);
  expect(t.logs.map(({ message }) => message)).toEqual([
    "The plugin hangs failed while it was disposed.",
    "The plugin throws failed while it was disposed.",
  ]);
});

test("HST-03: a failure on the way undoes what was done before it", async () => {
  const undone: string[] = [];
  const first = definePlugin({
    name: "first",
    setup: (host) => host.onDispose(() => void undone.push("first")),
  });
  const second = definePlugin({
    name: "second",
    setup(host) {
      host.onDispose(() => void undone.push("second"));
      throw new Error("no disk");
    },
  });
  expect(await start(first, second)).toEqual({
    code: "PLUGIN_SETUP_FAILED",
    message: "The plugin second failed in setup: no disk",
  });
  expect(undone).toEqual(["second", "first"]);
});

test("HST-03: use after dispose is an error that says so, for every member that does something", async () => {
  let kept: PluginHost<unknown, { clock: typeof Clock }> | undefined;
  const keeper = definePlugin({
    name: "keeper",
    needs: { clock: Clock },
    provides: [Tools],
    taps: ["beforeToolCall"],
    setup: (host) => void (kept = host as never),
  });
  await (await startTestHost({ plugins: [keeper, clock("clock")] })).stop();
  const host = kept as NonNullable<typeof kept>;
  const uses = [
    () => host.needs.clock,
    () => host.provide(Tools, {} as never),
    () => host.hooks.beforeToolCall.tap(() => undefined),
    () => host.onReady(() => {}),
    () => host.onDispose(() => {}),
  ];
  for (const use of uses) expect(use).toThrow(expect.objectContaining({ code: "PLUGIN_CLOSED" }));
  expect(host.signal.aborted).toBe(true);
});

test("HST-05: plugins are set up in order of what they need, whatever the order of the configuration", async () => {
  expect(await start(user("late"), user("later"), clock("clock"))).toEqual({});
});

test("HST-05: a missing slot, two fillers, a circle, an undeclared and an unfilled slot are refused, with plugin and slot", async () => {
  const Other = one<number>("test-other");
  expect(await start(user("lonely"))).toEqual({
    code: "SLOT_EMPTY",
    message:
      "The plugin lonely needs the slot test-clock and no plugin fills it, and none that comes with Gantry does: list one that does, as its author says.",
  });
  expect(await start(clock("a"), clock("b"))).toEqual({
    code: "SLOT_TAKEN",
    message:
      "The plugin b fills test-clock, which a already fills: keep one of them; the other one is left out by `without_plugins` where it comes with Gantry, else taken off its list.",
  });
  const a = definePlugin({ name: "a", needs: { other: Other }, provides: [Clock], setup: () => {} });
  const b = definePlugin({ name: "b", needs: { clock: Clock }, provides: [Other], setup: () => {} });
  expect(await start(a, b)).toEqual({
    code: "SLOT_CYCLE",
    message: "Plugins need each other in a circle: a -> b -> a.",
  });
  const sly = definePlugin({ name: "sly", setup: (host) => host.provide(Clock, { now: () => 1 }) });
  expect(await start(sly)).toMatchObject({ code: "SLOT_UNDECLARED" });
  const lazy = definePlugin({ name: "lazy", provides: [Clock], setup: () => {} });
  expect(await start(lazy)).toEqual({
    code: "SLOT_UNFILLED",
    message:
      "The plugin lazy lists test-clock in provides and did not fill it in setup: fill it, or take it off the list.",
  });
});

test("HST-05: all of that but the undeclared is found before any setup runs", async () => {
  let ran = false;
  const eager = definePlugin({ name: "eager", setup: () => void (ran = true) });
  await start(eager, user("lonely"));
  await start(eager, clock("a"), clock("b"));
  expect(ran).toBe(false);
});

test("HST-05: what the host itself fills cannot be filled by a plugin", async () => {
  const { Approvals } = await import("@gantry/sdk");
  const usurper = definePlugin({ name: "usurper", provides: [Approvals], setup: () => {} });
  expect(await start(usurper)).toEqual({
    code: "SLOT_TAKEN",
    message: "The plugin usurper fills approvals, which the host already fills: keep one of them.",
  });
});

test("HST-05: an optional slot may stay empty; a slot of many may be empty", async () => {
  const Many = many<{ name: string }>("test-many");
  const modest = definePlugin({
    name: "modest",
    needs: { clock: optional(Clock), all: Many },
    setup: (host) => expect([host.needs.clock, host.needs.all.size]).toEqual([undefined, 0]),
  });
  expect(await start(modest)).toEqual({});
});

test("HST-05: a plugin of another sdk level, and facts that are wrong, are refused before setup", async () => {
  const fine = definePlugin({ name: "fine", setup: () => {} });
  expect(await start({ ...fine, sdk: SDK_LEVEL + 1 })).toEqual({
    code: "PLUGIN_SDK_MISMATCH",
    message: `The plugin fine was written for sdk level ${SDK_LEVEL + 1} and this host speaks level ${SDK_LEVEL}: install a newer Gantry, or an older release of the plugin.`,
  });
  const wrong: Record<string, unknown>[] = [
    { name: "Not A Name" },
    { taps: ["beforeLunch"] },
    { taps: "beforeToolCall" },
    { needs: { clock: "test-clock" } },
    { needs: [Clock] },
    { provides: Clock },
    { provides: [{}] },
    { config: Type.String() },
    { table: "a b" },
  ];
  for (const facts of wrong)
    expect({ facts, ...(await start({ ...fine, ...facts } as Plugin)) }).toMatchObject({
      code: "PLUGIN_BAD_FACTS",
    });
});

test("HST-05: a value that does not fit its slot is refused where it is registered", async () => {
  expect(
    await start(bad({ name: "two words", description: "d", input: Type.Object({}), run: async () => "" })),
  ).toMatchObject({
    code: "SLOT_BAD_VALUE",
  });
  expect(
    await start(bad({ name: "t", description: "", input: Type.Object({}), run: async () => "" })),
  ).toMatchObject({
    code: "SLOT_BAD_VALUE",
  });
  expect(
    await start(bad({ name: "t", description: "d", input: Type.String(), run: async () => "" })),
  ).toMatchObject({
    code: "SLOT_BAD_VALUE",
  });
  expect(await start(bad({}))).toMatchObject({ code: "SLOT_BAD_VALUE" });
});

test("HST-05: two values of one name in a slot of many are refused, with both plugins", async () => {
  const again = definePlugin({ ...tool("echo", async () => ""), name: "again" });
  expect(
    await start(
      tool("echo", async () => ""),
      again,
    ),
  ).toEqual({
    code: "SLOT_TAKEN",
    message: "The plugin again fills tools.echo, which tool-echo already fills: keep one of them.",
  });
});

test("HST-05: setup and onReady that never end are stopped with the plugin's name", async () => {
  expect(await start(definePlugin({ name: "slow", setup: never }))).toEqual({
    code: "PLUGIN_TIMEOUT",
    message: "The plugin slow did not finish setup in 200 ms: it must not wait there.",
  });
  expect(await start(definePlugin({ name: "slow", setup: (host) => host.onReady(never) }))).toMatchObject({
    code: "PLUGIN_TIMEOUT",
  });
});

test("HST-06: a plugin that throws in onReady stops the start with its name, and the others are disposed", async () => {
  let undone = false;
  const first = definePlugin({ name: "first", setup: (host) => host.onDispose(() => void (undone = true)) });
  const bad = definePlugin({
    name: "bad",
    setup: (host) =>
      host.onReady(() => {
        throw new Error("port taken");
      }),
  });
  expect(await start(first, bad)).toEqual({
    code: "PLUGIN_READY_FAILED",
    message: "The plugin bad failed to get ready: port taken",
  });
  expect(undone).toBe(true);
});

test("HST-05: a configuration is checked, filled with defaults and frozen before its plugin sees it", async () => {
  let seen: { size: number; inner: { list: string[] } } | undefined;
  const plugin = definePlugin({
    name: "picky",
    config: Type.Object({
      size: Type.Integer({ default: 3, minimum: 1 }),
      inner: Type.Object({ list: Type.Array(Type.String(), { default: ["a"] }) }),
    }),
    setup: (host) => void (seen = host.config),
  });
  await using _ = await startTestHost({ plugins: [plugin] });
  expect(seen).toEqual({ size: 3, inner: { list: ["a"] } });
  expect(Object.isFrozen(seen) && Object.isFrozen(seen?.inner) && Object.isFrozen(seen?.inner.list)).toBe(
    true,
  );
  await expect(
    startTestHost({ plugins: [plugin], config: { plugins_config: { picky: { size: 0 } } } }),
  ).rejects.toMatchObject({
    code: "CONFIG_WRONG_TYPE",
  });
});

test("SDK-02: the test kit is the real host: guards, audit, turn and registrations, with nothing on disk but its own directory", async () => {
  const model = fakeProvider([{ calls: [{ name: "echo", args: { a: 1 } }] }, "done"]);
  const t = await startTestHost({
    plugins: [tool("echo", async () => "echoed"), guard("silent", () => undefined), model],
  });
  expect(await t.ask("go")).toMatchObject({
    reply: "done",
    tool_calls: [{ tool: "echo", decision: "allowed" }],
  });
  expect(t.audit.map(({ event_type, tool: name, result }) => [event_type, name, result])).toEqual([
    ["tool_call", "echo", "allowed"],
    ["tool_result", "echo", "done"],
  ]);
  expect(t.runtime).toMatchObject({
    configDir: t.configDir,
    workspace: expect.stringContaining(t.configDir),
  });
  await t.stop();
  const { existsSync } = await import("node:fs");
  expect(existsSync(t.configDir)).toBe(false);
});

test("SDK-12: what a plugin needs is alive while it is disposed, and gone after", async () => {
  const seen: unknown[] = [];
  const kept: { needs?: { readonly clock: unknown } } = {};
  const reader = definePlugin({
    name: "reader",
    needs: { clock: Clock },
    setup(host) {
      kept.needs = host.needs;
      host.onDispose(() => void seen.push(host.needs.clock.now()));
    },
  });
  const t = await startTestHost({ plugins: [clock("clock"), reader] });
  await t.stop();
  expect(seen).toEqual([1]);
  expect(() => kept.needs?.clock).toThrow("used its host after it was disposed");
});

test("SDK-09: what provide() returns takes the value out again, once, and the name is free", async () => {
  const withdrawals: (() => void)[] = [];
  const again: { provide?: () => void } = {};
  const dynamic = definePlugin({
    name: "dynamic",
    provides: [Tools],
    setup(host) {
      withdrawals.push(host.provide(Tools, named("one")), host.provide(Tools, named("two")));
      again.provide = () => void host.provide(Tools, named("one"));
    },
  });
  await using t = await startTestHost({ plugins: [dynamic] });
  const tools = (): string[] => t.registrations().filter((line) => line.startsWith("dynamic: tools"));
  withdrawals[0]!();
  withdrawals[0]!();
  expect(tools()).toEqual(["dynamic: tools two"]);
  again.provide?.();
  withdrawals[0]!();
  expect(tools()).toEqual(["dynamic: tools two", "dynamic: tools one"]);
});
