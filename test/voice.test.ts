import { fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { textOf } from "@gantry/sdk";
import { expect, test } from "vitest";
import { startTelegram, type TestTelegram } from "../plugins/channel-telegram/telegram.test-kit.ts";
import { ogg, VoiceServerForTests } from "../plugins/voice-http/voice.test-kit.ts";
import voiceHttp from "../plugins/voice-http/index.ts";

/** A model that answers with what it was told. */
const echo: Parameters<typeof fakeProvider>[0] = [
  ({ messages }) => `You said: ${textOf(messages.at(-1)?.parts ?? [])}`,
];

function started(
  server: VoiceServerForTests,
  voice: object,
  model = fakeProvider(["**Milk** is on the list."]),
) {
  const all = { transcribe_url: server.url, speak_url: server.url, ...voice };
  return startTelegram({ plugins: [memoryStore(), model, voiceHttp], config: { voice: all } });
}
const voices = (t: TestTelegram) => t.api.of("sendVoice");

test("VOI-01: with reply = voice an answer on Telegram is followed by a voice message of its words", async () => {
  await using server = await VoiceServerForTests.start();
  await using t = await started(server, { reply: "voice" });
  t.say("milk");
  await t.api.until(() => voices(t).length === 1);
  expect(t.api.of("sendMessage").map(({ params }) => params["text"])).toEqual(["Milk is on the list."]);
  const file = voices(t)[0]?.params["voice"] as File;
  expect([voices(t)[0]?.params["chat_id"], new Uint8Array(await file.arrayBuffer())]).toEqual(["111", ogg]);
  expect(server.calls.map(({ fields }) => fields["input"])).toEqual(["Milk is on the list."]);
});

test("VOI-01: code, long answers and answers of commands are read, not spoken", async () => {
  await using server = await VoiceServerForTests.start();
  const model = fakeProvider(["```\ncode\n```", "x".repeat(2_001), "Milk."]);
  await using t = await started(server, { reply: "voice" }, model);
  for (const [i, text] of ["one", "two", "/help", "three"].entries()) {
    t.say(text);
    await t.api.sent(i + 1);
  }
  await t.api.until(() => voices(t).length === 1);
  expect(server.calls.map(({ fields }) => fields["input"])).toEqual(["Milk."]);
});

test("VOI-01: an answer that cannot be spoken is there in words, once", async () => {
  await using server = await VoiceServerForTests.start();
  await using t = await started(server, { reply: "voice" }, fakeProvider(["one", "two"]));
  server.next = (response) => response.writeHead(500).end("no model");
  t.say("first");
  await t.api.sent(1);
  t.api.failures.push({
    method: "sendVoice",
    code: 400,
    description: "Bad Request: VOICE_MESSAGES_FORBIDDEN",
  });
  t.say("second");
  await t.api.sent(2);
  await t.api.until(() => voices(t).length === 1);
  await t.host.stop();
  expect(t.api.of("sendMessage").map(({ params }) => params["text"])).toEqual(["one", "two"]);
  const told = t.host.logs.filter(({ message }) => message.includes("without its speech"));
  expect(told).toHaveLength(2);
});

test("VOI-01: with reply = text nothing is spoken, and a voice message is answered by its words", async () => {
  await using server = await VoiceServerForTests.start();
  await using t = await started(server, {}, fakeProvider(echo));
  t.api.files.set("voice", new Uint8Array(10));
  t.say("", { voice: { file_id: "voice", file_size: 10, mime_type: "audio/ogg", duration: 3 } });
  const [sent] = await t.api.sent(1);
  expect(sent?.["text"]).toContain("buy milk");
  await t.host.stop();
  expect([voices(t), server.calls.map(({ path }) => path)]).toEqual([[], ["/v1/audio/transcriptions"]]);
});
