import { expect, test } from "vitest";
import * as fc from "fast-check";
import { textParts } from "@gantry/sdk";
import type { ChatMessage, ProviderEvent } from "@gantry/sdk";
import { Type } from "typebox";
import { demo } from "./demo.ts";
import { understand } from "./requests.ts";
import plugin from "./index.ts";
import { processorMs } from "../../test/helpers/processor-time.ts";

const ALL = ["file_list", "file_read", "file_write", "shell", "memory_store", "memory_recall"];

async function ask(
  messages: readonly ChatMessage[],
  tools = ALL,
  signal = new AbortController().signal,
): Promise<ProviderEvent[]> {
  const events: ProviderEvent[] = [];
  const specs = tools.map((name) => ({ name, description: name, input: Type.Object({}) }));
  for await (const event of demo.chat({
    model: undefined,
    messages,
    tools: specs,
    temperature: 0.7,
    session: "s",
    signal,
  }))
    events.push(event);
  return events;
}
const user = (text: string): ChatMessage => ({ role: "user", parts: textParts(text) });
const textOf = (events: readonly ProviderEvent[]): string =>
  events.map((event) => (event.type === "text" ? event.text : "")).join("");

test.each<[string, string, Record<string, string>]>([
  ["List the files here", "file_list", {}],
  ['Use my-tool with {"name":"Ada and read b.txt"}', "my-tool", { name: "Ada and read b.txt" }],
  ["Please use the tool `file_read` with {}", "file_read", {}],
  ["Please list all files in src/lib.", "file_list", { path: "src/lib" }],
  ["which files are in this folder?", "file_list", {}],
  ["ls", "file_list", {}],
  ["what's in the workspace?", "file_list", {}],
  ["read notes.txt", "file_read", { path: "notes.txt" }],
  ["Could you show me the contents of `my notes.md`?", "file_read", { path: "my notes.md" }],
  ["What does README.md say?", "file_read", { path: "README.md" }],
  ["run `ls -la`", "shell", { command: "ls -la" }],
  ["run uname -a", "shell", { command: "uname -a" }],
  ["Execute the command echo hi.", "shell", { command: "echo hi" }],
  ["ls -la /tmp", "shell", { command: "ls -la /tmp" }],
  ["remember that I like tea and read books", "memory_store", { text: "I like tea and read books" }],
  ["What do you know about tea?", "memory_recall", { query: "tea" }],
  ['write "hello world" to out/a.txt', "file_write", { path: "out/a.txt", content: "hello world" }],
  [
    "create a file notes.txt with the text: one\ntwo",
    "file_write",
    { path: "notes.txt", content: "one\ntwo" },
  ],
])("PRV-18: %j is understood as %s", async (text, tool, args) => {
  expect(understand(text)).toEqual([{ tool, args }]);
  const events = await ask([user(text)], [...ALL, tool]);
  expect(events[0]).toEqual({
    type: "tool_call",
    call: { id: "demo-1", name: tool, args: JSON.stringify(args) },
  });
  expect(events.at(-1)).toEqual({ type: "stop", reason: "ToolUse" });
});

test("PRV-18: two requests in one sentence are two calls", () => {
  expect(understand("List the files here and then read notes.txt").map((wish) => wish.tool)).toEqual([
    "file_list",
    "file_read",
  ]);
});

test.each(["run the tests", "hello", "", "why is the sky blue?", "[IMAGE:data:image/png;base64,AAAA]"])(
  "PRV-18: %j is answered with what the demo can do, after a first line that says what it is",
  async (text) => {
    const events = await ask([user(text)]);
    const [first, ...rest] = textOf(events).split("\n");
    expect(first).toMatch(/demo, not a language model.*default_provider.*gantry onboard/);
    expect(rest.join("\n")).toContain("List the files here");
    expect(events.filter((event) => event.type === "text").length).toBeGreaterThan(10);
    expect(events.at(-1)).toEqual({ type: "stop", reason: "EndTurn" });
    expect(events.at(-2)?.type).toBe("usage");
  },
);

test("PRV-18: a tool that is not offered is told, and nothing is called", async () => {
  const events = await ask([user("run `ls`")], ["file_list"]);
  expect(textOf(events)).toContain("the tool shell is not offered");
  expect(events.some((event) => event.type === "tool_call")).toBe(false);
});

const round = (result: string, failed: boolean): ChatMessage[] => [
  user("run `rm -rf x`"),
  {
    role: "assistant",
    parts: [],
    toolCalls: [{ id: "demo-1", name: "shell", args: '{"command":"rm -rf x"}' }],
  },
  { role: "tool", callId: "demo-1", name: "shell", parts: textParts(result), failed },
];

test("PRV-18: a result is summed up in words, and the turn ends", async () => {
  const events = await ask(round("a\nb", false));
  expect(textOf(events)).toContain("I ran `rm -rf x` with the tool shell. The result has 2 lines:\na\nb");
  expect(events.at(-1)).toEqual({ type: "stop", reason: "EndTurn" });
});

test("PRV-18: marks of outside text are for models; the person sees what stands between them", async () => {
  const text = textOf(await ask(round("<<untrusted 00ff from tool shell>>\na\nb\n<<end 00ff>>", false)));
  expect(text).toContain("The result has 2 lines:\na\nb");
  const [first] = await ask([user("<<untrusted 00ff from chatapp:+49>>\nread a.txt\n<<end 00ff>>")]);
  expect(first).toMatchObject({ type: "tool_call", call: { name: "file_read", args: '{"path":"a.txt"}' } });
});

test("PRV-18: a refusal is told as a refusal, in its own words", async () => {
  const text = textOf(await ask(round("Command blocked by security policy: rm", true)));
  expect(text).toContain(
    "I tried to run `rm -rf x`, and it was not done: Command blocked by security policy: rm",
  );
});

test("PRV-18: call ids stay new in a conversation that goes on", async () => {
  const events = await ask([
    ...round("a", false),
    { role: "assistant", parts: textParts("done"), toolCalls: [] },
    user("read a.txt"),
  ]);
  expect(events[0]).toMatchObject({ call: { id: "demo-2", name: "file_read" } });
});

test("PRV-18: a cancelled request ends in one error event", async () => {
  const cancelled = await ask([user("hello")], ALL, AbortSignal.abort());
  expect(cancelled).toMatchObject([{ type: "error", failure: { code: "PROVIDER_CANCELLED", retry: false } }]);
});

test("PRV-18: any text ends in exactly one stop, and the same text gives the same answer", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ maxLength: 300, unit: "binary" }), async (text) => {
      const events = await ask([user(text)]);
      expect(events.filter((event) => event.type === "stop" || event.type === "error")).toHaveLength(1);
      expect(await ask([user(text)])).toEqual(events);
    }),
  );
});

test("PRV-18: a hostile long text is answered quickly", async () => {
  const spent = await processorMs(async () => {
    await ask([user(`write ${"to in ".repeat(600)}`)]);
    await ask([user("show ".repeat(100_000))]);
  });
  expect(spent).toBeLessThan(500);
});

test("PRV-18: it answers where no provider is configured and to its own name, after everybody else", () => {
  const taps: { handler: (want: object) => unknown; options: unknown }[] = [];
  const tap = (handler: (want: object) => unknown, options: unknown): unknown =>
    taps.push({ handler, options });
  const host = {
    hooks: { resolveProvider: { tap } },
    provide() {},
    needs: { configFile: new Map() },
    onServe() {},
  };
  void plugin.setup(host as never);
  expect(taps).toHaveLength(1);
  expect(taps[0]?.options).toEqual({ order: "late" });
  expect(taps[0]?.handler({ provider: undefined, model: undefined })).toBe(demo);
  expect(taps[0]?.handler({ provider: "demo", model: "x" })).toBe(demo);
  expect(taps[0]?.handler({ provider: "local-a", model: "x" })).toBeUndefined();
});
