import { Speaker, Transcriber } from "@gantry/sdk";
import { startTestHost, type TestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import net from "../net-undici/index.ts";
import plugin from "./index.ts";
import { ogg, VoiceServerForTests } from "./voice.test-kit.ts";

const never = new AbortController().signal;
const note = { bytes: new Uint8Array([1, 2, 3]), mime: "audio/ogg; codecs=opus", name: "../note" };

const start = (voice: object): Promise<TestHost> =>
  startTestHost({ plugins: [net, plugin], config: { voice } });

test("VOI-01: a voice message goes to audio/transcriptions as a file, and its words come back", async () => {
  await using server = await VoiceServerForTests.start();
  await using t = await start({ transcribe_url: server.url, transcribe_model: "whisper-large" });
  expect(await t.slot(Transcriber).transcribe(note, never)).toBe("buy milk");
  const [call] = server.calls;
  const file = call?.fields["file"] as File;
  expect(call).toMatchObject({ path: "/v1/audio/transcriptions", authorization: undefined });
  expect([call?.fields["model"], file.name, file.type]).toEqual(["whisper-large", "speech.ogg", note.mime]);
  expect([...new Uint8Array(await file.arrayBuffer())]).toEqual([1, 2, 3]);
});

test("VOI-01: words go to audio/speech, and speech that chats play comes back", async () => {
  await using server = await VoiceServerForTests.start();
  const voice = { speak_url: `${server.url}/audio/speech/`, speak_model: "kokoro", speak_voice: "anna" };
  await using t = await start(voice);
  const speech = await t.slot(Speaker).speak("Hello.", never);
  expect(speech).toEqual({ bytes: ogg, mime: "audio/ogg", name: "answer.ogg" });
  expect(server.calls).toMatchObject([
    {
      path: "/v1/audio/speech",
      fields: { model: "kokoro", voice: "anna", input: "Hello.", response_format: "opus" },
    },
  ]);
});

test("VOI-01: each key goes to its own server alone, and stands in no sentence", async () => {
  await using hears = await VoiceServerForTests.start();
  await using speaks = await VoiceServerForTests.start();
  await using t = await start({
    transcribe_url: hears.url,
    transcribe_api_key: "canary-of-hearing",
    speak_url: speaks.url,
    speak_api_key: "canary-of-speaking",
  });
  hears.next = (response) => response.writeHead(401).end("the key canary-of-hearing is wrong");
  await expect(t.slot(Transcriber).transcribe(note, never)).rejects.toMatchObject({
    code: "VOICE_FAILED",
    message: expect.stringMatching(/^(?!.*canary).*HTTP 401, the key \*\*\* is wrong/),
  });
  await t.slot(Speaker).speak("Hello.", never);
  expect(hears.calls.map(({ authorization }) => authorization)).toEqual(["Bearer canary-of-hearing"]);
  expect(speaks.calls.map(({ authorization }) => authorization)).toEqual(["Bearer canary-of-speaking"]);
});

test.each([
  ["silence", '{"text":" "}', "VOICE_NO_WORDS"],
  ["another form", '{"words":"hi"}', "VOICE_FAILED"],
  ["no JSON", "hi", "VOICE_FAILED"],
])("VOI-01: a transcription of %s is told by its code", async (_, body, code) => {
  await using server = await VoiceServerForTests.start();
  await using t = await start({ transcribe_url: server.url });
  server.next = (response) => response.writeHead(200).end(body);
  await expect(t.slot(Transcriber).transcribe(note, never)).rejects.toMatchObject({ code });
});

test("VOI-01: what is not speech that chats play is not taken for it", async () => {
  await using server = await VoiceServerForTests.start();
  await using t = await start({ speak_url: server.url });
  server.next = (response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>hi");
  await expect(t.slot(Speaker).speak("Hello.", never)).rejects.toMatchObject({
    code: "VOICE_NO_AUDIO",
    message: expect.stringContaining("sent text/html in place of audio"),
  });
});

test("VOI-01: a server that does not answer is left when the signal says so", async () => {
  await using server = await VoiceServerForTests.start();
  await using t = await start({ transcribe_url: server.url, speak_url: server.url });
  const calls = [
    (signal: AbortSignal) => t.slot(Transcriber).transcribe(note, signal),
    (signal: AbortSignal) => t.slot(Speaker).speak("Hello.", signal),
  ];
  for (const call of calls) {
    const abort = new AbortController();
    server.next = () => abort.abort();
    await expect(call(abort.signal)).rejects.toMatchObject({ code: expect.stringMatching(/^NET_/) });
  }
});

test.each([
  [{ reply: "voice" }, "VOICE_NO_URL"],
  [{ transcribe_url: "localhost:8000" }, "VOICE_URL"],
  [{ speak_url: "ftp://127.0.0.1/v1" }, "VOICE_URL"],
])("VOI-01: the keys %j stop the start with a cure", async (voice, code) => {
  await expect(start(voice)).rejects.toMatchObject({ code });
});

test("VOI-01: without an address what is asked for is refused with the key to set", async () => {
  await using t = await start({});
  const [heard, said] = await Promise.allSettled([
    t.slot(Transcriber).transcribe(note, never),
    t.slot(Speaker).speak("Hello.", never),
  ]);
  expect([heard, said]).toMatchObject([
    { reason: { code: "VOICE_NO_URL", message: expect.stringContaining("`voice.transcribe_url`") } },
    { reason: { code: "VOICE_NO_URL", message: expect.stringContaining("`voice.speak_url`") } },
  ]);
});
