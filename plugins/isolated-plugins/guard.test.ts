import { definePlugin, defineTool, Tools } from "@gantry/sdk";
import { Type } from "typebox";
import { expect, test } from "vitest";
import { guardCode, guardFacts, linux, startIsolated, until, written } from "./isolated.test-kit.ts";

const timeout = 180_000;

const echo = defineTool({
  name: "echo",
  description: "Says it.",
  input: Type.Object({ what: Type.String() }),
  run: async ({ args }) => args.what,
});
const echoes = definePlugin({
  name: "tool-echo",
  provides: [Tools],
  setup: (host) => void host.provide(Tools, echo),
});

const start = (body: string, options: Parameters<typeof startIsolated>[1] = {}) =>
  startIsolated(written(guardFacts, guardCode(body)), { plugins: [echoes], ...options });

test.runIf(linux)("ISO-01: an isolated guard refuses, asks and lets pass", { timeout }, async () => {
  await using t = await start(`
    if (call.args.what === "no") return refuse({ code: "NO", message: "Not this." });
    if (call.args.what === "ask") return ask({ code: "ASK", message: "Sure?" });`);
  expect(await t.call("echo", { what: "no" })).toMatchObject({ decision: "refused", code: "NO" });
  const own = (await t.explain("echo", { what: "ask" })).find(({ by }) => by === "tried");
  expect(own).toMatchObject({ outcome: { verdict: "ask", code: "ASK" } });
  expect(await t.call("echo", { what: "yes" })).toMatchObject({ decision: "allowed", text: "yes" });
});

test.runIf(linux)(
  "ISO-01: a guard whose process died has refused, until it runs again",
  { timeout },
  async () => {
    await using t = await start(`if (call.args.what === "exit") process.exit(3);`, {
      bounds: { backoffMs: 1_000 },
    });
    expect(await t.call("echo", { what: "exit" })).toMatchObject({
      decision: "refused",
      code: "HOOK_FAILED",
    });
    expect(await t.call("echo", { what: "yes" })).toMatchObject({ decision: "refused", code: "HOOK_FAILED" });
    await until(async () => (await t.call("echo", { what: "yes" })).decision === "allowed");
  },
);

test.runIf(linux)(
  "ISO-01: a guard that answers nonsense, or not in time, has refused",
  { timeout },
  async () => {
    await using t = await start(
      `if (call.args.what === "nonsense") return { verdict: "allow" };
     if (call.args.what === "late") await new Promise(() => {});`,
      { timeouts: { hook: 500 } },
    );
    expect(await t.call("echo", { what: "nonsense" })).toMatchObject({
      decision: "refused",
      code: "HOOK_BAD_ANSWER",
    });
    expect(await t.call("echo", { what: "late" })).toMatchObject({
      decision: "refused",
      code: "HOOK_TIMEOUT",
    });
    expect(await t.call("echo", { what: "yes" })).toMatchObject({ decision: "allowed" });
  },
);

test.runIf(linux)(
  "ISO-01: a guard that loops has refused, and its process is ended and replaced",
  { timeout },
  async () => {
    await using t = await start(`if (call.args.what === "loop") for (;;);`, {
      bounds: { backoffMs: 10, silentMs: 1_000 },
    });
    const { decision, code } = await t.call("echo", { what: "loop" });
    expect({ decision, code }).toEqual({ decision: "refused", code: "HOOK_FAILED" });
    await until(async () => (await t.call("echo", { what: "yes" })).decision === "allowed");
    expect(t.logs.some(({ message }) => message.includes("it hung"))).toBe(true);
  },
);

test.runIf(linux).each([
  ["is no message", `"no message at all, only words"`],
  ["is longer than a message may be", `Buffer.alloc(64, 255)`],
  ["answers what was not asked", `frame({ do: "answer", id: 99999, value: 1 })`],
  ["is of a kind that nobody knows", `frame({ do: "eval", code: "1" })`],
  ["holds a mark that nobody knows", `frame({ do: "answer", id: 99999, value: { $: ["constructor"] } })`],
])("ISO-01: a process that sends what %s is believed nothing more", { timeout }, async (_, bytes) => {
  const frame = `const frame = (message) => {
    const text = Buffer.from(JSON.stringify(message)), head = Buffer.alloc(8);
    head.writeUInt32LE(text.length);
    return Buffer.concat([head, text]);
  };`;
  await using t = await start(
    `${frame} if (call.args.what === "break") {
       (await import("node:fs")).writeSync(1, ${bytes});
       await new Promise(() => {});
     }`,
    { bounds: { backoffMs: 10 } },
  );
  expect(await t.call("echo", { what: "break" })).toMatchObject({ decision: "refused", code: "HOOK_FAILED" });
  await until(async () => (await t.call("echo", { what: "yes" })).decision === "allowed");
});
