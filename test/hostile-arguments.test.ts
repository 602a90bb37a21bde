import { definePlugin, defineTool, textOf, Tools, type TurnEvent } from "@gantry/sdk";
import { Redactors } from "@gantry/sdk/fill";
import { fakeProvider, startTestHost, type FakeProvider, type TestHost } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { assert, asyncProperty, boolean, constantFrom, dictionary, jsonValue, string } from "fast-check";
import { expect, test } from "vitest";
import { tool } from "./helpers/plugins.ts";

const MIB = 1024 * 1024;

/** A tool of one short path. */
const strict = definePlugin({
  name: "tool-strict",
  provides: [Tools],
  setup(host) {
    const input = Type.Object({ path: Type.String({ maxLength: 4_096 }) }, { additionalProperties: false });
    host.provide(
      Tools,
      defineTool({ name: "strict", description: "Strict.", input, run: async () => "ran" }),
    );
  },
});

/**
 * Takes nothing out, and counts what it is handed: work on arguments that the service's thread
 * does.
 */
function counter() {
  const seen = { texts: 0, characters: 0 };
  const plugin = definePlugin({
    name: "redact-counter",
    provides: [Redactors],
    setup: (host) =>
      host.provide(Redactors, {
        name: "counter",
        holdBack: 0,
        redact(text) {
          seen.texts += 1;
          seen.characters += text.length;
          return text;
        },
      }),
  });
  return { seen, plugin };
}

const keys = (count: number): string => `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join(",")}}`;
const nested = (open: string, close: string, count: number): string =>
  `{"path":${open.repeat(count)}1${close.repeat(count)}}`;

/** Each as a model writes it, and what it is told. */
const hostile: readonly (readonly [what: string, args: string, told: RegExp])[] = [
  ["half a million unknown keys", keys(500_000), /more than (?:1048576 characters|20000 values)/],
  ["many unknown keys", keys(60_000), /more than 20000 values/],
  ["a list without end", `{"path":[${"0,".repeat(400_000)}0]}`, /more than 20000 values/],
  ["a million opened lists", "[".repeat(1_000_000), /not JSON/],
  ["lists in lists", nested("[", "]", 400_000), /more than 64 levels/],
  ["objects in objects", nested('{"a":', "}", 100_000), /more than 64 levels/],
  ["eight megabytes of text", JSON.stringify({ path: "a".repeat(8 * MIB) }), /more than 1048576 characters/],
  ["a text that is too long for it", JSON.stringify({ path: "a".repeat(MIB / 2) }), /4096 characters/],
  ["eight megabytes of nothing", "x@".repeat(4 * MIB), /more than 1048576 characters/],
  ["backslashes", `{"path":"${"\\\\".repeat(MIB / 4)}"}`, /4096 characters/],
  ["a key without end", `{"${"k".repeat(MIB + 1)}":1}`, /more than 1048576 characters/],
  ["a list where an object is wanted", `[${"{},".repeat(1_000)}{}]`, /must be object/],
];

/** A call by each door, and what its caller is told. */
const doors: Readonly<Record<string, (t: TestHost, args: string) => Promise<string>>> = {
  "as text": async (t, args) => (await t.call("strict", args as never)).text,
  "as a value": async (t, args) => (await t.call("strict", parsed(args) as never)).text,
  "asked about": async (t, args) => {
    const [opinion] = await t.explain("strict", args as never);
    return opinion?.outcome?.verdict === "refuse" ? opinion.outcome.reason : "";
  },
};

/** A text that is not JSON stays a text. */
function parsed(args: string): unknown {
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}

/** Far below what one pass over the longest of them takes, and above what the bounds allow. */
function expectLittleWork({
  texts,
  characters,
}: {
  readonly texts: number;
  readonly characters: number;
}): void {
  expect(texts).toBeLessThan(150_000);
  expect(characters).toBeLessThan(5 * MIB);
}

for (const [door, ask] of Object.entries(doors)) {
  test.each(hostile)(
    `AGT-03: %s, ${door}, is told, and little work is done for it`,
    async (_, args, told) => {
      const { seen, plugin } = counter();
      await using t = await startTestHost({ plugins: [strict, plugin] });
      expect(await ask(t, args)).toMatch(told);
      expectLittleWork(seen);
    },
  );
}

/**
 * Returns the words that a model hears of its call, in a turn that somebody watches; and why its
 * answer was cut off, if it was too long.
 */
async function toldToModel(t: TestHost, { requests }: FakeProvider): Promise<string> {
  const events: TurnEvent[] = [];
  const { error } = await t.ask("go", { onEvent: (event) => void events.push(event) });
  if (error) return error.code;
  return events.some(({ type }) => type === "tool_result")
    ? JSON.stringify(requests.at(-1)?.messages.at(-1))
    : "";
}

test.each(hostile)("AGT-03: %s by a model is told to it, shown, and ends no turn", async (_, args, told) => {
  const { seen, plugin } = counter();
  const model = fakeProvider([{ calls: [{ name: "strict", args }] }, "done"]);
  await using t = await startTestHost({ plugins: [strict, model, plugin] });
  expect(await toldToModel(t, model)).toMatch(args.length > 2 * MIB ? /PROVIDER_TOO_LARGE/ : told);
  expectLittleWork(seen);
});

test("AGT-03: a property: within the bounds a tool gets what the JSON says, and beyond them nothing runs", async () => {
  const ran: unknown[] = [];
  const any = tool("any", async ({ args }) => (ran.push(structuredClone(args)), "ran"));
  await using t = await startTestHost({ plugins: [any] });
  const value = dictionary(string(), jsonValue({ maxDepth: 6 }));
  await assert(
    asyncProperty(value, boolean(), async (args, asText) => {
      const text = JSON.stringify(args);
      const { decision } = await t.call("any", (asText ? text : JSON.parse(text)) as never);
      expect([decision, ran.pop()]).toEqual(["allowed", JSON.parse(text)]);
    }),
  );
  await assert(
    asyncProperty(string({ unit: constantFrom(...'[]{}",:1a\\ ') }), async (text) => {
      const isObject = /^\s*(?:\{.*)?$/s.test(text) && typeof parsed(text.trim() || "{}") === "object";
      expect((await t.call("any", text as never)).decision).toBe(isObject ? "allowed" : "failed");
    }),
  );
});

test.each([
  [64, "allowed"],
  [65, "failed"],
])("AGT-03: arguments of %s levels are %s", async (levels, decision) => {
  await using t = await startTestHost({ plugins: [tool("any", async () => "ran")] });
  expect((await t.call("any", nested("[", "]", levels - 1) as never)).decision).toBe(decision);
});

test("AGT-02: of a thousand calls that may run side by side only some do, and all are answered in order", async () => {
  let [now, most] = [0, 0];
  const busy = tool(
    "busy",
    async ({ args }) => {
      most = Math.max(most, (now += 1));
      await new Promise(setImmediate);
      now -= 1;
      return `number ${String(args["n"])}`;
    },
    { parallel: true },
  );
  const calls = Array.from({ length: 1_000 }, (_, n) => ({ name: "busy", args: { n } }));
  const model = fakeProvider([{ calls }, "done"]);
  await using t = await startTestHost({ plugins: [busy, model] });
  expect((await t.ask("go")).reply).toBe("done");
  const told = model.requests.at(-1)!.messages.filter(({ role }) => role === "tool");
  expect(told.map(({ parts }) => /number \d+/.exec(textOf(parts))?.[0])).toEqual(
    calls.map(({ args }) => `number ${args.n}`),
  );
  expect([most > 1, most < 20]).toEqual([true, true]);
});

/** Processor time that the call takes, the least of five. */
async function cpuOf(t: TestHost, args: string): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const before = process.cpuUsage();
    await t.call("strict", args as never);
    const { user, system } = process.cpuUsage(before);
    taken.push(user + system);
  }
  return Math.min(...taken);
}

test.runIf(process.env["GANTRY_LONG"])(
  "AGT-03: no arguments take more than their length asks for",
  async () => {
    await using t = await startTestHost({ plugins: [strict] });
    const shapes: readonly ((size: number) => string)[] = [
      (size) => "[".repeat(size),
      (size) => nested("[", "]", size / 2),
      (size) => keys(size / 12),
      (size) => JSON.stringify({ path: '\\"'.repeat(size / 4) }),
    ];
    for (const shape of shapes)
      expect(await cpuOf(t, shape(800_000))).toBeLessThan(40 * (await cpuOf(t, shape(100_000))) + 20_000);
  },
);
