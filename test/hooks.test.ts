import { fakeProvider, startTestHost } from "@gantry/sdk/testing";
import { ask, definePlugin, GantryError, refuse, type Plugin } from "@gantry/sdk";
import { array, assert, asyncProperty, constantFrom, tuple } from "fast-check";
import { expect, test } from "vitest";
import { guard, tool } from "./helpers/plugins.ts";

const no = refuse({ code: "NO", message: "no" });
const question = ask({ code: "MAYBE", message: "maybe" });
const echo = tool("echo", async ({ args }) => JSON.stringify(args));
const orders = ["early", "normal", "late"] as const;

const never = (): Promise<never> => new Promise(() => {});

function resolver(name: string, answer: () => unknown): Plugin {
  return definePlugin({
    name: `provider-${name}`,
    taps: ["resolveProvider"],
    setup: (host) => host.hooks.resolveProvider.tap(answer as never),
  });
}

test("HST-01: a refusal wins over questions and silence, whatever the order of plugins and taps", async () => {
  const verdicts = constantFrom(no, question, undefined);
  await assert(
    asyncProperty(
      array(tuple(verdicts, constantFrom(...orders)), { minLength: 1, maxLength: 6 }),
      async (guards) => {
        const plugins = guards.map(([verdict, order], i) => guard(`g${i}`, () => verdict, { order }));
        await using t = await startTestHost({ plugins: [...plugins, echo] });
        const said = guards.map(([verdict]) => verdict?.verdict);
        const expected = said.includes("refuse")
          ? ["refused", "refused"]
          : said.includes("ask")
            ? ["approved", "refused"]
            : ["allowed", "allowed"];
        const outcomes = [
          await t.call("echo", {}, { approvals: "yes" }),
          await t.call("echo", {}, { approvals: "none" }),
        ];
        expect(outcomes.map(({ decision }) => decision)).toEqual(expected);
      },
    ),
    { numRuns: 60 },
  );
});

test("HST-01: a guard is asked in the order that its tap names, not in the order of the configuration", async () => {
  const asked: string[] = [];
  const plugins = ["late", "normal", "early"].map((order) =>
    guard(order, () => void asked.push(order), { order: order as (typeof orders)[number] }),
  );
  await using t = await startTestHost({ plugins: [...plugins, echo] });
  await t.call("echo", {});
  expect(asked).toEqual(["early", "normal", "late"]);
});

const nonsense: readonly [string, unknown][] = [
  ["true", true],
  ["false", false],
  ["null", null],
  ["a string", "allow"],
  ["an allow", { verdict: "allow", code: "X", reason: "x" }],
  ["a refusal without a code", { verdict: "refuse", reason: "x" }],
  ["a refusal with a code that is no text", { verdict: "refuse", code: 1, reason: "x" }],
  ["an empty object", {}],
  ["a list of verdicts", [no]],
];

test.each(nonsense)("HST-01: a guard that answers %s has refused", async (_, answer) => {
  for (const given of [() => answer, async () => answer]) {
    await using t = await startTestHost({ plugins: [guard("odd", given as never), echo] });
    expect(await t.call("echo", {}, { approvals: "yes" })).toMatchObject({
      decision: "refused",
      code: "HOOK_BAD_ANSWER",
    });
    expect((await t.call("echo", {})).text).toMatch(/^The plugin guard-odd answered beforeToolCall with /);
  }
});

test("HST-01: a guard that throws, rejects, or throws something odd has refused, and the log names it", async () => {
  const ways: (() => never)[] = [
    () => {
      throw new Error("out of order");
    },
    () => {
      // oxlint-disable-next-line no-throw-literal -- plugins do
      throw "a word";
    },
    () => Promise.reject(new Error("later")) as never,
  ];
  for (const way of ways) {
    await using t = await startTestHost({ plugins: [guard("broken", way), echo] });
    expect(await t.call("echo", {}, { approvals: "yes" })).toMatchObject({
      decision: "refused",
      code: "HOOK_FAILED",
    });
    expect(t.logs).toContainEqual(
      expect.objectContaining({
        level: "error",
        detail: expect.objectContaining({ plugin: "guard-broken" }),
      }),
    );
  }
});

test("HST-01: a guard that does not answer in its time has refused, also where its tap asks for less time than the host gives", async () => {
  await using slow = await startTestHost({ plugins: [guard("slow", never), echo], timeouts: { hook: 20 } });
  expect(await slow.call("echo", {}, { approvals: "yes" })).toMatchObject({
    decision: "refused",
    code: "HOOK_TIMEOUT",
  });
  await using own = await startTestHost({ plugins: [guard("slow", never, { timeoutMs: 20 }), echo] });
  expect((await own.call("echo", {})).text).toBe(
    "The plugin guard-slow did not answer beforeToolCall in 20 ms.",
  );
});

test("HST-01: a verdict cannot be changed after it was given", async () => {
  const verdict = { verdict: "refuse", code: "NO", reason: "no" };
  const soft = guard("soft", (() => verdict) as never);
  const late = guard("late", () => void Object.assign(verdict, { verdict: "allow" }), { order: "late" });
  await using t = await startTestHost({ plugins: [soft, late, echo] });
  expect(await t.call("echo", {})).toMatchObject({ decision: "refused", code: "NO" });
});

test("HST-01: a guard cannot change what it is asked about", async () => {
  const meddler = guard("meddler", (call) => {
    (call.args as Record<string, unknown>)["path"] = "/etc/shadow";
  });
  await using t = await startTestHost({ plugins: [meddler, echo] });
  expect(await t.call("echo", { path: "a" })).toMatchObject({ decision: "refused", code: "HOOK_FAILED" });
  const deep = guard("deep", (call) => void (call.args["list"] as unknown[]).push("more"));
  await using u = await startTestHost({ plugins: [deep, echo] });
  expect(await u.call("echo", { list: [] })).toMatchObject({ decision: "refused", code: "HOOK_FAILED" });
});

test("HST-01: an early answer hides no later guard from explain, which asks everyone and runs nothing", async () => {
  let ran = 0;
  const counted = tool("counted", async () => String((ran += 1)));
  await using t = await startTestHost({
    plugins: [
      guard("a", () => no, { order: "early" }),
      guard("b", () => question),
      guard("c", () => undefined, { order: "late" }),
      counted,
    ],
  });
  const opinions = await t.explain("counted", {});
  expect(opinions.map(({ by, outcome: answer }) => [by, answer?.verdict])).toEqual([
    ["guard-a", "refuse"],
    ["guard-b", "ask"],
    ["guard-c", undefined],
  ]);
  expect([ran, t.audit.length]).toEqual([0, 0]);
});

test("HST-01: a question is no answer to an inbound message: the message is refused", async () => {
  const odd = definePlugin({
    name: "guard-inbound",
    taps: ["onInboundMessage"],
    setup: (host) => host.hooks.onInboundMessage.tap((() => question) as never),
  });
  await using t = await startTestHost({ plugins: [odd, fakeProvider(["hello"])] });
  await expect(t.ask("hi")).rejects.toMatchObject({ code: "INBOUND_REFUSED" });
});

test("HST-01: of several resolvers the first that answers serves; silence goes on to the next", async () => {
  await using t = await startTestHost({
    plugins: [
      resolver("silent", () => undefined),
      fakeProvider(["one"]),
      fakeProvider(["two"], { name: "other" }),
    ],
  });
  expect(await t.ask("hi")).toMatchObject({ reply: "one", provider: "fake" });
});

test.each([
  ["throws", () => Promise.reject(new Error("no key ring"))],
  ["answers nonsense", () => "fake" as never],
  ["answers an object that is no provider", () => ({ name: "fake" }) as never],
])("HST-01: a resolver that %s ends the turn with its name", async (_, answer) => {
  await using t = await startTestHost({ plugins: [resolver("broken", answer), fakeProvider(["one"])] });
  const { reply, error } = await t.ask("hi");
  expect(reply).toBe("");
  expect(error).toMatchObject({
    code: "PROVIDER_PLUGIN_FAILED",
    message: expect.stringContaining("provider-broken"),
  });
});

test("HST-01: a teller that throws or hangs is logged and stops nobody, and all the others are told", async () => {
  const told: string[] = [];
  const teller = (name: string, tell: () => unknown): Plugin =>
    definePlugin({
      name,
      taps: ["onAuditEvent"],
      setup: (host) =>
        host.hooks.onAuditEvent.tap((() => (told.push(name), tell())) as () => undefined, { timeoutMs: 20 }),
    });
  const plugins = [
    teller("tell-throws", () => {
      throw new Error("no");
    }),
    teller("tell-hangs", () => new Promise(() => {})),
    teller("tell-answers", () => no),
    teller("tell-last", () => undefined),
    echo,
  ];
  await using t = await startTestHost({ plugins });
  expect(await t.call("echo", {})).toMatchObject({ decision: "allowed" });
  // They are told of the call and of its end.
  const each = ["tell-throws", "tell-hangs", "tell-answers", "tell-last"];
  expect(told).toEqual([...each, ...each]);
  const broken = ["tell-throws", "tell-hangs"];
  expect(t.logs.map(({ detail }) => detail["plugin"])).toEqual([...broken, ...broken]);
});

test("HST-02: a plugin's hooks have tap and nothing else, for its own taps alone", async () => {
  let seen: string[] = [];
  const curious = definePlugin({
    name: "curious",
    taps: ["beforeToolCall"],
    setup(host) {
      const hook = host.hooks.beforeToolCall;
      seen = [...Object.keys(host), ...Object.keys(host.hooks), ...Object.getOwnPropertyNames(hook)];
      expect(Object.isFrozen(host) && Object.isFrozen(host.hooks) && Object.isFrozen(hook)).toBe(true);
      expect(hook.tap(() => undefined)).toBeUndefined();
      for (const word of ["call", "promise", "intercept", "taps", "withOptions"])
        expect(hook).not.toHaveProperty(word);
    },
  });
  await using _ = await startTestHost({ plugins: [curious] });
  expect(seen).toEqual([
    "name",
    "config",
    "needs",
    "log",
    "signal",
    "hooks",
    "provide",
    "onReady",
    "onServe",
    "onDispose",
    "beforeToolCall",
    "onInboundMessage",
    "resolveProvider",
    "onAuditEvent",
    "tap",
  ]);
});

test("HST-02: a plugin that taps a hook without saying so in its facts is refused in setup", async () => {
  const sly = definePlugin({ name: "sly", setup: (host) => host.hooks.beforeToolCall.tap(() => undefined) });
  await expect(startTestHost({ plugins: [sly] })).rejects.toMatchObject({ code: "PLUGIN_UNDECLARED_TAP" });
});

test("HST-02: tools are sealed: a plugin cannot need them, so that none runs past the guards", async () => {
  const { Tools } = await import("@gantry/sdk");
  const thief = definePlugin({ name: "thief", needs: { tools: Tools }, setup: () => {} });
  const error = await startTestHost({ plugins: [thief, echo] }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(GantryError);
  expect((error as Error).message).toBe(
    "The plugin thief states its facts wrongly: it needs tools, which only the host may read.",
  );
});

test("HST-01: a call under way while the host stops does not pass the guards that have left", async () => {
  const ran: string[] = [];
  const work = tool("work", async () => String(ran.push("ran")));
  const host = await startTestHost({ plugins: [guard("no", () => no), work] });
  const call = host.call("work", {});
  await host.stop();
  expect(await call).toMatchObject({ decision: "refused" });
  expect(ran).toEqual([]);
});
