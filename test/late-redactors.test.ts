import { array, assert, asyncProperty, constantFrom } from "fast-check";
import { definePlugin, type Plugin, type TurnEvent } from "@gantry/sdk";
import { Redactors, type Redactor } from "@gantry/sdk/fill";
import { checkPlugin, fakeProvider, startTestHost, type LogLine } from "@gantry/sdk/testing";
import { expect, test, vi } from "vitest";
import { gate, tool } from "./helpers/plugins.ts";

const forAll = { security: { redact_for_owner: true } };
const secret = /sk-[a-z0-9]{6,20}|\b\d{4}(?: \d{4}){3}\b/g;
const hide = (text: string): string => text.replace(secret, "[hidden]");

/** A plugin with one redactor, whose own log it may write to. */
function redacting(redact: (text: string, log: (message: string) => void) => unknown): Plugin {
  return definePlugin({
    name: "redact-late",
    summary: "Redacts later.",
    provides: [Redactors],
    setup: (host) =>
      host.provide(Redactors, {
        name: "late",
        holdBack: 40,
        redact: ((text: string) => redact(text, (line) => host.log.info({}, line))) as Redactor["redact"],
      }),
  });
}

/** Answers later, short texts after long ones. */
const late = redacting(
  (text) => new Promise((resolve) => setTimeout(() => resolve(hide(text)), 20 / (text.length + 1))),
);

test("SDK-21: a redactor that answers later hides a secret in stream, steps, answer, audit and log", async () => {
  const counts = tool("count", async ({ progress }) => {
    progress?.({ done: 1, text: "sk-abcdef111111" });
    return "found sk-abcdef222222";
  });
  const model = fakeProvider([
    {
      calls: [
        {
          id: "1",
          name: "count",
          args: JSON.stringify({ key: "sk-abcdef333333", "sk-abcdef444444": [4111_1111_1111] }),
        },
      ],
    },
    "The key is sk-abcdef123456 as said.",
  ]);
  const events: TurnEvent[] = [];
  await using t = await startTestHost({ plugins: [counts, model, late], config: forAll });
  const { reply } = await t.ask("go", { onEvent: (event) => events.push(event) });
  expect(reply).toBe("The key is [hidden] as said.");
  expect(events.map((event) => (event.type === "delta" ? event.text : "")).join("")).toBe(reply);
  expect(events.map(({ type }) => type).filter((type) => type.startsWith("tool"))).toEqual([
    "tool_call",
    "tool_progress",
    "tool_result",
  ]);
  expect(t.audit[0]?.args).toEqual({ key: "[hidden]", "[hidden]": [4111_1111_1111] });
  expect(JSON.stringify([events, t.audit, t.logs])).not.toMatch(/sk-abcdef/);
});

test("SDK-21: a stream has its order and text whether its redactor answers at once or later", async () => {
  const words = constantFrom("sk-abcdef123456", "4111 1111 1111 1111", "hello", "1234", "\n", "end.", "4111");
  await assert(
    asyncProperty(array(words, { minLength: 1, maxLength: 10 }), async (parts) => {
      const text = parts.join(" ");
      await using t = await startTestHost({ plugins: [fakeProvider([text]), late], config: forAll });
      let streamed = "";
      await t.ask("go", { onEvent: (event) => (streamed += event.type === "delta" ? event.text : "") });
      expect(streamed).toBe(hide(text));
    }),
    { numRuns: 40 },
  );
});

test("SDK-21: a secret in thoughts is hidden over their pieces, and the answer follows them whole", async () => {
  const thoughts = "It is 4111 1111 1111 1111, so ";
  const model = fakeProvider([{ thoughts, text: "paid with 4111 1111 1111 1111." }]);
  await using t = await startTestHost({ plugins: [model, late], config: forAll });
  const told: TurnEvent[] = [];
  await t.ask("go", { thoughts: true, onEvent: (event) => told.push(event) });
  const textOf = (type: string): string =>
    told.map((event) => (event.type === type && "text" in event ? event.text : "")).join("");
  expect([textOf("thought"), textOf("delta")]).toEqual(["It is [hidden], so ", "paid with [hidden]."]);
  const kinds = told.map(({ type }) => type).filter((type) => type === "thought" || type === "delta");
  expect(kinds.lastIndexOf("thought")).toBeLessThan(kinds.indexOf("delta"));
});

test("SDK-21: a turn that does not ask for thoughts is told none", async () => {
  const model = fakeProvider([{ thoughts: "hm", text: "yes" }]);
  await using t = await startTestHost({ plugins: [model] });
  const told: TurnEvent[] = [];
  await t.ask("go", { onEvent: (event) => told.push(event) });
  expect(told.filter(({ type }) => type === "thought")).toEqual([]);
});

/** A plugin that writes to the log. */
function logging(): { readonly plugin: Plugin; log(message: string): void } {
  let log: ((message: string) => void) | undefined;
  const plugin = definePlugin({
    name: "logging",
    setup: (host) => void (log = (message) => host.log.info({}, message)),
  });
  return { plugin, log: (message) => log?.(message) };
}

test("SDK-21: log lines stay in order where some of them are redacted later", async () => {
  const held = gate();
  const some = redacting((text) => (text === "b" ? held.opened.then(() => "b") : text));
  const { plugin, log } = logging();
  await using t = await startTestHost({ plugins: [some, plugin] });
  for (const message of ["a", "b", "c", "d"]) log(message);
  const told = () => t.logs.map(({ message }) => message).filter((message) => /^[a-e]$/.test(message));
  expect(told()).toEqual(["a"]);
  held.open();
  await expect.poll(told).toEqual(["a", "b", "c", "d"]);
  log("e");
  expect(told()).toEqual(["a", "b", "c", "d", "e"]);
});

test.each<[string, Redactor["redact"]]>([
  ["at once", (text) => text],
  ["later", async (text) => text],
])("OPS-01: the log goes on after lines redacted %s that were not written", async (_, redact) => {
  const { plugin, log } = logging();
  await using t = await startTestHost({ plugins: [redacting(redact), plugin] });
  const lines = t.logs as LogLine[];
  const write = lines.push.bind(lines);
  let isFull = true;
  vi.spyOn(lines, "push").mockImplementation((line) => {
    isFull &&= line.message !== "c";
    if (isFull) throw new Error("ENOSPC");
    return write(line);
  });
  for (const message of ["a", "b", "c"]) log(message);
  await expect.poll(() => t.logs.at(-1)?.detail["count"]).toBe(2);
  log("d");
  const told = () => t.logs.slice(-3).map(({ message }) => message);
  await expect.poll(told).toEqual(["c", expect.stringContaining("left out"), "d"]);
});

test("SDK-21: at most 1,000 log lines are held back, and the others are counted", async () => {
  const held = gate();
  const stuck = redacting((text) => (text === "first" ? held.opened.then(() => text) : text));
  const { plugin, log } = logging();
  await using t = await startTestHost({ plugins: [stuck, plugin] });
  log("first");
  for (let i = 1; i < 1_203; i += 1) log("later");
  held.open();
  await expect.poll(() => t.logs.at(-1)?.message).toMatch(/left out/);
  expect(t.logs.at(-1)?.detail["count"]).toBe(203);
  expect(t.logs.filter(({ message }) => message === "later")).toHaveLength(999);
});

test.each([
  ["at once", (text: string): unknown => text],
  ["later", async (text: string): Promise<string> => text],
])("SDK-21: a redactor that logs and answers %s makes no endless log", async (_, answer) => {
  const chatty = redacting((text, log) => {
    log("redacting");
    return answer(text);
  });
  const { plugin, log } = logging();
  await using t = await startTestHost({ plugins: [chatty, plugin] });
  log("one");
  await expect.poll(() => t.logs.map(({ message }) => message)).toContain("one");
  expect(t.logs.filter(({ message }) => message === "redacting")).toEqual([]);
});

test.each<[string, () => Promise<unknown>]>([
  ["never answers", () => new Promise(() => {})],
  ["rejects", () => Promise.reject(new Error("out of order"))],
  ["answers no text", async () => 7],
])("SDK-21: a redactor that %s stops the answer", async (_, redact) => {
  const model = fakeProvider(["the key is sk-abcdef123456"]);
  await using t = await startTestHost({
    plugins: [model, redacting(redact)],
    config: forAll,
    timeouts: { hook: 20 },
  });
  const { error, reply } = await t.ask("go");
  expect(error?.code).toBe("REDACTION_FAILED");
  expect(JSON.stringify([reply, error, t.logs, t.audit])).not.toContain("sk-abcdef");
});

test("SDK-21: the check of plugins names a redactor that does not keep what it answered", async () => {
  const { findings } = await checkPlugin({ plugin: redacting(async (text) => `${text}.`) });
  expect(findings.map(({ message }) => message)).toEqual([
    expect.stringContaining("The redactor late changes its own answer"),
  ]);
});

test("SDK-21: what is logged before a stop is written though its redactor answers later", async () => {
  const { plugin, log } = logging();
  const t = await startTestHost({ plugins: [late, plugin] });
  log("the last words");
  await t.stop();
  expect(t.logs.map(({ message }) => message)).toContain("the last words");
});

test("SDK-21: a redactor that fails late and then at once leaves no rejection behind", async () => {
  const unhandled = vi.fn<() => void>();
  process.on("unhandledRejection", unhandled);
  using _ = { [Symbol.dispose]: () => process.off("unhandledRejection", unhandled) };
  const down = gate();
  const failing = redacting((text) => {
    if (text === "first") return down.opened.then(() => Promise.reject(new Error("down")));
    if (text === "second") throw new Error("down at once");
    return text;
  });
  const other = definePlugin({
    name: "redact-other",
    provides: [Redactors],
    setup: ({ provide }) => provide(Redactors, { name: "other", holdBack: 0, redact: (text) => text }),
  });
  const plugins = [failing, other, tool("note", async () => "noted")];
  await using t = await startTestHost({ plugins });
  const called = t.call("note", { a: ["first", "first"], b: "second" });
  await new Promise(setImmediate);
  down.open();
  expect((await called).code).toBe("AUDIT_FAILED");
  await new Promise(setImmediate);
  expect(unhandled).not.toHaveBeenCalled();
  expect(await t.call("note", { a: "third" })).toMatchObject({ decision: "allowed" });
});
