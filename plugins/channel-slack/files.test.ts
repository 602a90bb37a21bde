import { Channels, definePlugin, Media, textParts, Transcriber, type Part } from "@gantry/sdk";
import { fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { botToken } from "./fake-slack.test-kit.ts";
import { group, named, seenOf, startSlack } from "./slack.test-kit.ts";
import { fileOf } from "./slack-methods.test-kit.ts";

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);

/** As the model is shown it. */
const attached = (line: string): unknown =>
  expect.stringContaining(`from an attached file>>\n${line}\n<<end `);

test("SL-09: pictures, voice and files that come in are kept, and each is named in a line where it is not; the token goes to Slack alone", async () => {
  const asked: (readonly Part[])[] = [];
  const provider = fakeProvider([({ messages }) => (asked.push(messages.at(-1)?.parts ?? []), "seen")]);
  await using t = await startSlack({ plugins: [memoryStore(), provider] });
  const { api } = t;
  const picture = api.addFile({
    id: "F1",
    name: "p.png",
    mimetype: "image/png",
    size: png.length,
    bytes: png,
  });
  const voice = api.addFile({
    id: "F2",
    name: "note.webm",
    mimetype: "audio/webm",
    size: 10,
    bytes: new Uint8Array(10),
    subtype: "slack_audio",
  });
  const large = api.addFile({ id: "F3", name: "a.pdf", mimetype: "application/pdf", size: 30 * 1024 * 1024 });
  const elsewhere = { ...fileOf(picture, api), url_private_download: "https://files.slack.com.evil.test/x" };
  const subtype = "file_share";
  await t.say("what is it?", { subtype, files: [fileOf(picture, api)] });
  await t.say("", {
    subtype,
    files: [
      {
        id: "F2",
        file_access: "check_file_info",
        subtype: "slack_audio",
        mimetype: voice.mimetype,
        name: voice.name,
      },
    ],
  });
  await t.say("", { subtype, files: [fileOf(large, api)] });
  await t.say("", { subtype, files: [elsewhere] });
  await api.sent(4);
  const lines = asked.map((parts) =>
    parts.map((part) => (part.type === "media" ? part.media.mime : part.type === "text" ? part.text : "")),
  );
  expect(lines).toEqual([
    ["what is it?", attached("[p.png, image/png, 11 bytes]"), "image/png"],
    [
      attached("[note.webm, audio/webm, 10 bytes]"),
      "audio/webm",
      attached(
        "[voice message: note.webm, audio/webm: not put into words, as no plugin fills the slot transcriber]",
      ),
    ],
    [attached("[file: a.pdf, application/pdf, 31457280 bytes: not read, more than 25 MiB]")],
    [expect.stringContaining("which is not where slack_url is, so nothing is sent to it")],
  ]);
  expect([api.downloads, api.of("files.info").length]).toEqual([[botToken, botToken], 1]);
  api.scopes.delete("files:read");
  await t.say("", { subtype, files: [fileOf(picture, api)] });
  await api.sent(5);
  expect(JSON.stringify(asked.at(-1))).toContain("files:read");
});

test("SL-09: a voice message is put into words where a plugin can tell them", async () => {
  const asked: string[] = [];
  const hearing = definePlugin({
    name: "hearing",
    provides: [Transcriber],
    setup(host) {
      host.provide(Transcriber, { transcribe: async ({ mime }) => `hello in ${mime}` });
    },
  });
  const provider = fakeProvider([
    ({ messages }) => (asked.push(JSON.stringify(messages.at(-1)?.parts)), "seen"),
  ]);
  await using t = await startSlack({ plugins: [memoryStore(), provider, hearing] });
  const voice = t.api.addFile({
    id: "F2",
    name: "n",
    mimetype: "audio/webm",
    size: 10,
    bytes: new Uint8Array(10),
    subtype: "slack_audio",
  });
  await t.say("", { subtype: "file_share", files: [fileOf(voice, t.api)] });
  await t.api.sent(1);
  expect(asked[0]).toContain("hello in audio/webm");
});

test("SL-14: files of an answer go out between its words, again as a copy that says so, and as a line if gone", async () => {
  await using t = await startSlack({ serves: false });
  const media = t.host.slot(Media);
  const picture = await media.put(png, { mime: "image/png", name: "plot.png" });
  const gone = { id: "0".repeat(64), mime: "image/png", bytes: 7, name: "gone.png" };
  const parts: Part[] = [
    ...textParts("before"),
    { type: "media", media: picture },
    ...textParts("after"),
    { type: "media", media: gone },
  ];
  const given = { key: "files", to: { channel: group, thread: t.api.ts() } };
  t.api.failures.push({ method: "files.completeUploadExternal", how: "cut" });
  const { send } = t.host.slot(Channels).get("slack")!;
  const message = { ...given, parts };
  expect(await send(message, AbortSignal.timeout(60_000))).toMatchObject({ status: "retry" });
  expect(await send(message, AbortSignal.timeout(60_000))).toMatchObject({ status: "sent" });
  expect(t.api.calls.map(({ method }) => method)).toEqual([
    "chat.postMessage",
    "files.getUploadURLExternal",
    "files.completeUploadExternal",
    "files.getUploadURLExternal",
    "files.completeUploadExternal",
    "chat.postMessage",
  ]);
  const [file] = [...t.api.files.values()];
  expect([file?.name, Uint8Array.from(file?.bytes ?? []), file?.sharedIn]).toEqual([
    "plot.png",
    png,
    [group],
  ]);
  const [first, copy] = t.api.of("files.completeUploadExternal").map(({ params }) => params);
  expect([first?.["thread_ts"], first?.["initial_comment"]]).toEqual([given.to.thread, undefined]);
  expect(copy?.["initial_comment"]).toBe("(Sent again, as it may not have arrived.)");
  expect((await t.api.sent(2)).map(seenOf)).toEqual(["before", "after\n[gone.png, image/png, 7 bytes]"]);
  expect(t.api.leaks).toEqual([]);
});

test("SL-03: a file of a message that comes as two events is fetched once", async () => {
  await using t = await startSlack();
  const file = t.api.addFile({ id: "F1", name: "p.png", mimetype: "image/png", size: 11, bytes: png });
  const files = [fileOf(file, t.api)];
  await t.say(`${named} look`, { channel: group, subtype: "file_share", files });
  await t.api.sent(1);
  await t.api.until(() => t.api.socketMode.acknowledged.length === 2);
  expect(t.api.downloads).toHaveLength(1);
});
