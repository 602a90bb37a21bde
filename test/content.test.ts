import { Store, textParts, type MediaRef, type Part, type Provider, type ProviderEvent } from "@gantry/sdk";
import { definePlugin } from "@gantry/sdk";
import {
  createMemoryStore,
  fakeChannel,
  fakeProvider,
  memoryStore,
  startTestHost,
} from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { tool } from "./helpers/plugins.ts";

const picture: MediaRef = { id: "ab".repeat(32), mime: "image/png", bytes: 12, name: "cat.png" };
const call = (name: string, args: object = {}) => ({ name, args });

/** A provider that gives these events in turn, and keeps what it was asked. */
function scripted(...answers: readonly (readonly unknown[])[]) {
  const asked: Parameters<Provider["chat"]>[0][] = [];
  const provider: Provider = {
    name: "scripted",
    capabilities: { nativeToolCalling: true, vision: false, streaming: true },
    async *chat(request) {
      asked.push(request);
      yield* (answers[Math.min(asked.length, answers.length) - 1] ?? []) as readonly ProviderEvent[];
    },
  };
  const plugin = definePlugin({
    name: "provider-scripted",
    taps: ["resolveProvider"],
    setup: (host) => host.hooks.resolveProvider.tap(() => provider),
  });
  return { plugin, asked };
}

test("SDK-07: a tool's parts reach the model as they are, its texts marked, and its image as one honest line in what people see", async () => {
  const shot = tool("shot", async () => ({
    parts: [...textParts("the page"), { type: "media", media: picture }, { type: "hologram" } as never],
    failed: false,
  }));
  const model = fakeProvider([{ calls: [call("shot")] }, "A cat."]);
  await using t = await startTestHost({ plugins: [shot, model, memoryStore()] });
  const shown: string[] = [];
  await t.ask("look", { onEvent: (event) => void (event.type === "tool_result" && shown.push(event.text)) });
  const parts = model.requests[1]?.messages.at(-1)?.parts ?? [];
  expect(parts[0]).toMatchObject({
    type: "text",
    text: expect.stringMatching(/^<<untrusted .*\nthe page\n/),
  });
  // Its name is somebody's words too, so it stands between the marks.
  expect(parts[1]).toMatchObject({
    text: expect.stringMatching(/^<<untrusted .*\n\[cat\.png, image\/png, 12 bytes\]\n/),
  });
  expect(parts[2]).toEqual({
    type: "media",
    media: { id: picture.id, mime: picture.mime, bytes: picture.bytes },
  });
  expect(shown).toEqual(["the page\n[cat.png, image/png, 12 bytes]"]);
  const [, , result] = await t.slot(Store).sessions.recent("test", 1);
  // The session keeps them without the marks, which are made for each request.
  expect(result?.parts.map(({ type }) => type)).toEqual(["text", "media", "hologram"]);
});

test("SDK-07: the bound of a result is one for all its texts", async () => {
  const long = tool("long", async () => ({
    parts: [...textParts("a".repeat(900)), ...textParts("b".repeat(900))],
    failed: true,
  }));
  await using t = await startTestHost({
    plugins: [long, fakeProvider(["ok"])],
    config: { tools: { max_output_bytes: 1024 } },
  });
  const { text } = await t.call("long", {});
  expect(text).toBe(`${"a".repeat(900)}\n${"b".repeat(124)}\n[cut: 776 more bytes]`);
});

test.each<[string, unknown]>([
  ["parts that are no list", { parts: "x", failed: false }],
  ["a text part without text", { parts: [{ type: "text" }], failed: false }],
  [
    "media without an id",
    { parts: [{ type: "media", media: { mime: "image/png", bytes: 1 } }], failed: false },
  ],
  ["a part without a type", { parts: [{ text: "x" }], failed: false }],
])("SDK-07: a tool that answers with %s has failed, with a sentence", async (_, answer) => {
  const odd = tool("odd", async () => answer as string);
  await using t = await startTestHost({ plugins: [odd, fakeProvider(["ok"])] });
  expect(await t.call("odd", {})).toMatchObject({
    decision: "failed",
    code: "TOOL_FAILED",
    text: expect.stringContaining("instead of text or parts"),
  });
});

test("SDK-07: what a provider gave with its answer and its calls comes back to it unchanged, in the next request and in a later turn", async () => {
  const data = { scripted: { signature: "c2ln\n+/=", n: 1.5, nested: [null, { deep: "日本" }] } };
  const called = { id: "1", name: "echo", args: "{}", providerData: { scripted: "thought" } };
  const { plugin, asked } = scripted(
    [
      { type: "text", text: "Let me see." },
      { type: "provider_data", data: "not this one" },
      { type: "tool_call", call: called },
      { type: "provider_data", data },
      { type: "stop", reason: "ToolUse" },
    ],
    [
      { type: "text", text: "Done." },
      { type: "stop", reason: "EndTurn" },
    ],
  );
  const store = createMemoryStore();
  const echo = tool("echo", async () => "said");
  await using t = await startTestHost({ plugins: [plugin, echo, memoryStore(store)] });
  await t.ask("go");
  await t.ask("and now?");
  const answer = {
    role: "assistant",
    parts: textParts("Let me see."),
    toolCalls: [called],
    providerData: data,
  };
  for (const request of asked.slice(1)) expect(request.messages[2]).toEqual(answer);
  expect(asked[2]?.messages[4]).toEqual({ role: "assistant", parts: textParts("Done."), toolCalls: [] });
});

test("SDK-07: events, reasons and parts of a later level are ignored, and the turn goes on", async () => {
  const { plugin, asked } = scripted([
    { type: "mood", level: 3 },
    { type: "text", text: "Hello." },
    { type: "usage", inputTokens: 3, outputTokens: 2, dreamtTokens: 5 },
    { type: "stop", reason: "Bored" },
  ]);
  await using t = await startTestHost({ plugins: [plugin, memoryStore()] });
  const later = [...textParts("hi"), { type: "smell", of: "rain" } as unknown as Part];
  await t.slot(Store).sessions.append("test", [{ role: "user", parts: later }]);
  expect(await t.ask("hello")).toMatchObject({ reply: "Hello.", stop_reason: "Bored", tool_calls: [] });
  expect(asked[0]?.messages[1]?.parts).toEqual(later);
});

test("PRV-16: in a channel an answer that was cut off says so", async () => {
  const channel = fakeChannel();
  const model = fakeProvider([{ text: "Half an ans", stop: "MaxTokens" }, "Whole."]);
  await using t = await startTestHost({ plugins: [channel, model, memoryStore()] });
  await t.serve();
  for (const text of ["tell me", "again"]) await channel.receive({ text });
  await channel.sentCount(2);
  expect(channel.sent.map(({ text }) => text)).toEqual([
    expect.stringMatching(
      /^Half an ans\n\n\[The answer was cut off at its longest: .*max_output_tokens.*\]$/,
    ),
    "Whole.",
  ]);
});
