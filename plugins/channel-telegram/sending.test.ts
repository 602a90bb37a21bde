import {
  Channels,
  Media,
  type Json,
  type OutgoingMessage,
  type Part,
  type Sent,
  textParts,
} from "@gantry/sdk";
import { readMarkdown } from "@gantry/sdk/channel";
import { fakeProvider, memoryStore } from "@gantry/sdk/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hostileText, visible } from "../../sdk/channel-kit/rich-text.test-kit.ts";
import { group, owner, startTelegram, type TestTelegram } from "./telegram.test-kit.ts";

let counter = 0;

function send(
  t: TestTelegram,
  text: string | readonly Part[],
  given: Partial<OutgoingMessage> = {},
): Promise<Sent> {
  const parts = typeof text === "string" ? textParts(text) : text;
  const message = { to: { chat: owner.id }, parts, key: `test-${(counter += 1)}`, ...given };
  return t.host.slot(Channels).get("telegram")!.send(message, AbortSignal.timeout(60_000));
}

const texts = (t: TestTelegram) => t.api.of("sendMessage").map(({ params }) => params["text"] as string);

/** As the model is shown it. */
const attached = (line: string): unknown =>
  expect.stringContaining(`from an attached file>>\n${line}\n<<end `);

test("TG-08: TG-09: text goes as text with its entities, never to be parsed, and without a preview of its links", async () => {
  await using t = await startTelegram({ serves: false });
  expect(await send(t, "**Hi** _you_ `x < 1` [l](https://a.test)")).toMatchObject({
    status: "sent",
    id: expect.any(String),
  });
  expect(t.api.of("sendMessage")[0]?.params).toEqual({
    chat_id: owner.id,
    text: "Hi you x < 1 l",
    entities: [
      { type: "bold", offset: 0, length: 2 },
      { type: "italic", offset: 3, length: 3 },
      { type: "code", offset: 7, length: 5 },
      { type: "text_link", offset: 13, length: 1, url: "https://a.test" },
    ],
    link_preview_options: { is_disabled: true },
  });
});

test("TG-08: CC-12: whatever a model writes arrives whole, within the bounds, and the strict platform refuses none of it", async () => {
  await using t = await startTelegram({ serves: false });
  await fc.assert(
    fc.asyncProperty(hostileText, fc.integer({ min: 1, max: 40 }), async (piece, times) => {
      const source = `a ${piece.repeat(times)} b`;
      const before = t.api.of("sendMessage").length;
      expect((await send(t, source)).status).toBe("sent");
      const arrived = texts(t).slice(before).join("");
      expect(visible(arrived)).toBe(visible((await readMarkdown(source)).text.toWellFormed()));
    }),
    { numRuns: 60 },
  );
  const longest = Math.max(...t.api.of("sendMessage").map(({ params }) => params["entities"]?.length ?? 0));
  expect(longest).toBeLessThanOrEqual(100);
});

test("CC-02: another try of a long reply sends only what did not go out, and only its first part quotes the question", async () => {
  await using t = await startTelegram({ serves: false });
  const long = ["a", "b", "c"].map((letter) => letter.repeat(4_000)).join(" ");
  t.api.failures.push({ method: "sendChatAction" });
  const given = { key: "one", to: { chat: group.id, message: 5 } };
  t.api.failures.push({ chat: group.id, code: 500 });
  expect(await send(t, long, given)).toMatchObject({ status: "retry" });
  expect(await send(t, long, given)).toMatchObject({ status: "sent" });
  expect(
    texts(t)
      .map((text) => text[0])
      .join(""),
  ).toBe("aabc");
  expect(t.api.of("sendMessage").map(({ params }) => "reply_parameters" in params)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test("CC-09: the platform's 429 waits as long as it says, for that conversation, and is no failure", async () => {
  await using t = await startTelegram({ serves: false });
  t.api.failures.push({
    chat: owner.id,
    code: 429,
    description: "Too Many Requests: retry after 1221",
    parameters: { retry_after: 1_221 },
  });
  expect(await send(t, "hello")).toEqual({
    status: "retry",
    reason: expect.stringContaining("API error: 429"),
    afterMs: 1_221_000,
  });
  expect(await send(t, "hello", { to: { chat: 5 } })).toMatchObject({ status: "sent" });
});

test("CC-13: a form that the platform does not understand is left out, once, so that the answer arrives", async () => {
  await using t = await startTelegram({ serves: false });
  const bad = {
    method: "sendMessage",
    code: 400,
    description: "Bad Request: can't parse entities: anything",
  };
  t.api.failures.push(bad);
  expect(await send(t, "**bold**")).toMatchObject({ status: "sent" });
  expect(t.api.of("sendMessage").map(({ params }) => [params["text"], "entities" in params])).toEqual([
    ["bold", true],
    ["bold", false],
  ]);
  t.api.failures.push(bad, bad);
  expect(await send(t, "**bold**")).toMatchObject({ status: "refused" });
});

test("TG-09: whatever goes out shows no preview of its links: parts of a long reply, a form that was refused, a pairing answer", async () => {
  await using t = await startTelegram({ table: { pairing_enabled: true, allowed_user_ids: [] } });
  await send(t, `https://a.test ${"word ".repeat(2_000)}`);
  t.api.failures.push({ method: "sendMessage", code: 400, description: "Bad Request: can't parse entities" });
  await send(t, "**https://a.test**");
  t.say("123456789012", { from: { ...owner, id: 777 } });
  await t.api.until(() => texts(t).some((text) => text.includes("not valid")));
  const sent = t.api.of("sendMessage").map(({ params }) => params["link_preview_options"] as unknown);
  expect(sent.length).toBeGreaterThan(5);
  expect(sent.filter((options) => JSON.stringify(options) !== '{"is_disabled":true}')).toEqual([]);
});

test("TG-12: a group that became a supergroup is followed, once", async () => {
  await using t = await startTelegram({ serves: false });
  const moved = {
    code: 400,
    description: "Bad Request: group chat was upgraded to a supergroup chat",
    parameters: { migrate_to_chat_id: group.id },
  };
  t.api.failures.push({ ...moved, chat: -77 });
  expect(await send(t, "hi", { to: { chat: -77, message: 4 } })).toMatchObject({ status: "sent" });
  expect(t.api.of("sendMessage").map(({ params }) => params["chat_id"])).toEqual([-77, group.id]);
  t.api.failures.push({ ...moved, chat: -77 }, { ...moved, chat: group.id });
  expect(await send(t, "hi", { to: { chat: -77 } })).toMatchObject({ status: "refused" });
});

test.each<[number, string, Partial<Sent>]>([
  [403, "Forbidden: bot was blocked by the user", { status: "refused" }],
  [400, "Bad Request: chat not found", { status: "refused" }],
  [401, "Unauthorized", { status: "retry", scope: "channel" }],
  [404, "Not Found", { status: "retry", scope: "channel" }],
  [500, "Internal Server Error", { status: "retry" }],
  [502, "Bad Gateway", { status: "retry" }],
])("TG-13: the platform's %i (%s) means %j", async (code, description, outcome) => {
  await using t = await startTelegram({ serves: false });
  t.api.failures.push({ method: "sendMessage", code, description });
  const reason = expect.stringContaining(`API error: ${code} (${description})`);
  expect(await send(t, "hello")).toEqual({ ...outcome, reason });
});

test("TG-13: a platform that is away, is cut off, or is cancelled means another try", async () => {
  await using t = await startTelegram({ serves: false });
  t.api.failures.push({ how: "cut", method: "sendMessage" });
  expect(await send(t, "hello")).toMatchObject({ status: "retry" });
  t.api.failures.push({ how: "silent", method: "sendMessage" });
  const message = { to: { chat: 1 }, parts: textParts("x"), key: "x" };
  const sent = t.host.slot(Channels).get("telegram")!.send(message, AbortSignal.timeout(100));
  expect(await sent).toMatchObject({ status: "retry" });
});

test("TG-07: an id alone is an address, as settings write one", async () => {
  await using t = await startTelegram({ serves: false });
  expect(await send(t, "hello", { to: "111" })).toMatchObject({ status: "sent" });
  expect(await send(t, "hello", { to: "-100222" })).toMatchObject({ status: "sent" });
});

test("TG-07: what is no address of this channel is refused and nothing is sent", async () => {
  await using t = await startTelegram({ serves: false });
  const wrong: readonly Json[] = [
    "somebody",
    "0",
    111,
    null,
    [],
    {},
    { chat: "111" },
    { chat: 0 },
    { chat: 1.5 },
    { chat: 1, thread: "x" },
  ];
  for (const to of wrong) expect(await send(t, "hello", { to })).toMatchObject({ status: "refused" });
  expect(t.api.calls).toEqual([]);
});

test("TG-13: to an address that is neither https nor this machine nothing is sent, and status says so", async () => {
  await using t = await startTelegram({ serves: false, env: { SERVICE_ALLOW_INSECURE_LOOPBACK: "" } });
  expect(await send(t, "hello")).toMatchObject({
    status: "retry",
    scope: "channel",
    reason: expect.stringContaining("endpoints.telegram_url"),
  });
  expect(t.api.calls).toEqual([]);
  expect(await t.check("telegram-doctor")).toContainEqual(
    expect.objectContaining({ what: "telegram account", state: "fail" }),
  );
});

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);

test("TG-16: photos, voice and files that come in are kept as media, and each is named in a line where it is not", async () => {
  const asked: (readonly Part[])[] = [];
  const provider = fakeProvider([({ messages }) => (asked.push(messages.at(-1)?.parts ?? []), "seen")]);
  await using t = await startTelegram({ plugins: [memoryStore(), provider] });
  t.api.files.set("small", png);
  t.api.files.set("voice", new Uint8Array(10));
  const photo = [
    { file_id: "thumb", file_size: 3 },
    { file_id: "small", file_size: png.length },
    { file_id: "huge", file_size: 9 * 1024 * 1024 },
  ];
  const large = { file_name: "a.pdf", mime_type: "application/pdf", file_size: 30 * 1024 * 1024 };
  t.say("", { photo, caption: "what is it?" });
  t.say("", { voice: { file_id: "voice", file_size: 10, mime_type: "audio/ogg", duration: 3 } });
  t.say("", { document: { file_id: "large", ...large } });
  t.say("", { document: { file_id: "gone", file_name: "b.txt", file_size: 4 } });
  await t.api.sent(4);
  const lines = asked.map((parts) =>
    parts.map((part) => (part.type === "media" ? part.media.mime : part.type === "text" ? part.text : "")),
  );
  expect(lines).toEqual([
    ["what is it?", attached("[image/jpeg, 11 bytes]"), "image/jpeg"],
    [
      attached("[audio/ogg, 10 bytes]"),
      "audio/ogg",
      attached(
        "[voice message: audio/ogg, 10 bytes: not put into words, as no plugin fills the slot transcriber]",
      ),
    ],
    [attached("[file: a.pdf, application/pdf, 31457280 bytes: not read, more than 20 MiB]")],
    [attached("[file: b.txt, 4 bytes: could not be loaded]")],
  ]);
  expect(t.api.of("getFile").map(({ params }) => params["file_id"])).toEqual(["small", "voice", "gone"]);
});

test("TG-16: an album is one message", async () => {
  await using t = await startTelegram({ serves: false });
  for (const [i, name] of ["a", "b", "c"].entries()) {
    t.api.files.set(name, png);
    const caption = i === 0 ? { caption: "all three" } : {};
    t.say("", { photo: [{ file_id: name, file_size: 11 }], media_group_id: "album", ...caption });
  }
  await t.host.serve();
  await t.api.sent(1);
  await t.api.until(() => t.api.confirmed.length === 3);
  expect(t.api.of("sendMessage")).toHaveLength(1);
  expect(t.api.of("getFile")).toHaveLength(3);
});

test("TG-16: pictures and files of an answer go out as such, between its words, and as a line where their bytes are gone", async () => {
  await using t = await startTelegram({ serves: false });
  const media = t.host.slot(Media);
  const picture = await media.put(png, { mime: "image/png", name: "plot.png" });
  const file = await media.put(new Uint8Array(5), { mime: "text/csv", name: "data.csv" });
  const gone = { id: "0".repeat(64), mime: "image/png", bytes: 7, name: "gone.png" };
  const parts: Part[] = [
    ...textParts("before"),
    { type: "media", media: picture },
    { type: "media", media: file },
    ...textParts("after"),
    { type: "media", media: gone },
  ];
  expect(await send(t, parts)).toMatchObject({ status: "sent" });
  expect(t.api.calls.map(({ method }) => method)).toEqual([
    "sendMessage",
    "sendPhoto",
    "sendDocument",
    "sendMessage",
  ]);
  const files = t.api.calls.flatMap(({ params }) => [params["photo"], params["document"]]);
  const named = files.filter((one): one is File => one instanceof File).map(({ name, size }) => [name, size]);
  expect(named).toEqual([
    ["plot.png", png.length],
    ["data.csv", 5],
  ]);
  expect(texts(t)).toEqual(["before", "after\n[gone.png, image/png, 7 bytes]"]);
});

test("CC-16: TG-14: typing is shown in the chat and topic while the turn runs, and not once after its end", async () => {
  await using t = await startTelegram({ serves: false });
  const stop = new AbortController();
  const working = t.host.slot(Channels).get("telegram")!.working!(
    { chat: group.id, thread: 7, message: 9 },
    stop.signal,
  );
  await t.api.until(() => t.api.of("sendChatAction").length === 1);
  stop.abort();
  await working;
  expect(t.api.of("sendChatAction").map(({ params }) => params)).toEqual([
    { chat_id: group.id, message_thread_id: 7, action: "typing" },
  ]);
});

test("CC-16: while a turn runs, typing is shown where it was asked; it ends with the turn", async () => {
  const { promise: later, resolve: go } = Promise.withResolvers<void>();
  const provider = fakeProvider([{ text: "done", after: later }]);
  await using t = await startTelegram({ plugins: [memoryStore(), provider] });
  t.say("hello");
  await t.api.until(() => t.api.of("sendChatAction").length === 1);
  expect(t.api.of("sendChatAction")[0]?.params).toEqual({ chat_id: owner.id, action: "typing" });
  go();
  await t.api.sent(1);
  expect(t.api.calls.findLastIndex(({ method }) => method === "sendChatAction")).toBeLessThan(
    t.api.calls.findIndex(({ method }) => method === "sendMessage"),
  );
});
