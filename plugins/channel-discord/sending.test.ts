import {
  Channels,
  Media,
  textParts,
  type Json,
  type OutgoingMessage,
  type Part,
  type Sent,
} from "@gantry/sdk";
import { readMarkdown } from "@gantry/sdk/channel";
import { fakeProvider, memoryStore } from "@gantry/sdk/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hostileText } from "../../sdk/channel-kit/rich-text.test-kit.ts";
import { chatOf, hall, guild, owner, startDiscord, type TestDiscord } from "./discord.test-kit.ts";
import { FakeDiscord } from "./fake-discord.test-kit.ts";
import { shownText, visible } from "./shown-text.test-kit.ts";

const chat = chatOf(owner);
const other = "810000000000000009";
const messages = /^POST \/channels\/\d+\/messages$/;
let counter = 0;

/** The channel without a gateway, and two chats and a server channel at the platform. */
async function sending(api?: FakeDiscord): Promise<TestDiscord> {
  const t = await startDiscord({ serves: false, ...(api && { api }) });
  for (const id of [chat, other]) t.api.channels.set(id, { id, messages: [] });
  t.api.channels.set(hall, { id: hall, guild_id: guild, messages: [] });
  return t;
}

function send(
  t: TestDiscord,
  text: string | readonly Part[],
  given: Partial<OutgoingMessage> = {},
): Promise<Sent> {
  const parts = typeof text === "string" ? textParts(text) : text;
  const message = { to: { channel: chat }, parts, key: `test-${(counter += 1)}`, ...given };
  return t.host.slot(Channels).get("discord")!.send(message, AbortSignal.timeout(60_000));
}

const textsOf = (t: TestDiscord) => t.api.said().map(({ content }) => content as string);

/** As the model is shown it. */
const attached = (line: string): unknown =>
  expect.stringContaining(`from an attached file>>\n${line}\n<<end `);

test("DC-09: DC-11: text goes as the platform's markdown, without previews, and nobody is pinged whatever it says", async () => {
  await using t = await sending();
  const said = "**Hi** @everyone <@222222222222222222> `x < 1` [l](https://a.test/x_y) https://b.test/x_y.";
  expect(await send(t, said)).toMatchObject({ status: "sent", id: expect.stringMatching(/^\d{17,20}$/) });
  expect(t.api.of(messages)[0]?.body).toEqual({
    content:
      "**Hi** @everyone \\<@222222222222222222\\> `x < 1` [l](<https://a.test/x_y>) <https://b.test/x_y>.",
    nonce: expect.stringMatching(/^[\w-]{24}$/),
    enforce_nonce: true,
    flags: 4,
    allowed_mentions: { parse: [] },
  });
  expect(t.api.pings).toEqual([]);
});

test("DC-11: CC-12: whatever a model writes arrives whole, within 2,000 signs, and the strict platform refuses none of it", async () => {
  await using t = await sending();
  await fc.assert(
    fc.asyncProperty(hostileText, fc.integer({ min: 1, max: 25 }), async (piece, times) => {
      const source = `a ${piece.repeat(times)} b`;
      const before = t.api.said().length;
      expect((await send(t, source)).status).toBe("sent");
      const arrived = textsOf(t).slice(before).map(shownText).join("");
      expect(visible(arrived)).toBe(visible((await readMarkdown(source)).text));
    }),
    { numRuns: process.env["GANTRY_LONG"] ? 2_000 : 60 },
  );
  expect(t.api.pings).toEqual([]);
});

test("DC-11: a code block over the bound is closed and opened again; one with a fence in it keeps its words", async () => {
  await using t = await sending();
  const code = Array.from({ length: 150 }, (_, i) => `const line_${i} = ${"x".repeat(20)};`).join("\n");
  await send(t, `\`\`\`ts\n${code}\n\`\`\``);
  const parts = textsOf(t);
  expect(parts.length).toBeGreaterThan(2);
  for (const part of parts) expect(part).toMatch(/^```ts\n[^`]*\n```$/);
  expect(parts.every(({ length }) => length <= 2_000)).toBe(true);
  await send(t, "````md\n```js\na_b\n```\n````");
  expect(visible(shownText(textsOf(t).at(-1) ?? ""))).toBe("```jsa_b```");
});

test("DC-11: a quote goes on behind code in a line, and stands apart from a block in it", async () => {
  await using t = await sending();
  await send(t, "> a `b` c\n> d\n>\n> ```\n> e\n> ```\n>\n> f");
  expect(textsOf(t)).toEqual(["> a `b` c\n> d\n\n```\ne\n```\n\n> f"]);
});

test("DC-12: CC-02: a repeat after a cut is no second message, and another try of a long reply sends only the rest", async () => {
  await using t = await sending();
  t.api.failures.push({ what: messages, how: "cut" });
  expect(await send(t, "hello", { key: "cut" })).toMatchObject({ status: "retry" });
  expect(await send(t, "hello", { key: "cut" })).toMatchObject({ status: "sent" });
  expect(textsOf(t)).toEqual(["hello"]);

  const long = ["a", "b", "c"].map((letter) => letter.repeat(1_900)).join(" ");
  const given = { key: "long", to: { channel: hall, guild, message: "910000000000000005" } };
  t.api.failures.push({ what: /typing/ }, { what: messages, status: 500 });
  expect(await send(t, long, given)).toMatchObject({ status: "retry" });
  expect(await send(t, long, given)).toMatchObject({ status: "sent" });
  expect(
    textsOf(t)
      .slice(1)
      .map((text) => text[0]),
  ).toEqual(["a", "b", "c"]);
  const answers = t.api.said().map(({ message_reference }) => message_reference?.message_id);
  expect(answers).toEqual([undefined, "910000000000000005", undefined, undefined]);
});

test("DC-07: CC-09: a 429 waits as long as it says, for that channel alone, and no call is made before", async () => {
  await using t = await sending();
  t.api.failures.push({ what: messages, status: 429, body: { retry_after: 1_221, global: false } });
  expect(await send(t, "hello")).toEqual({
    status: "retry",
    reason: expect.stringContaining("API error: 429"),
    afterMs: 1_221_000,
  });
  const again = await send(t, "hello");
  expect(again).toMatchObject({ status: "retry", afterMs: expect.any(Number) });
  expect((again as { afterMs: number }).afterMs).toBeGreaterThan(1_200_000);
  expect(t.api.of(messages)).toHaveLength(1);
  expect(await send(t, "hello", { to: { channel: other } })).toMatchObject({ status: "sent" });
});

test("DC-07: a global 429, and one from before the platform, stops every call", async () => {
  await using t = await sending();
  t.api.failures.push({ what: messages, status: 429, body: { retry_after: 60, global: true } });
  expect(await send(t, "hello")).toMatchObject({ status: "retry", afterMs: 60_000 });
  expect(await send(t, "hello", { to: { channel: other } })).toMatchObject({ status: "retry" });
  expect(t.api.calls).toHaveLength(1);
  await using behind = await sending();
  behind.api.failures.push({ what: messages, how: "html", status: 429, headers: { "retry-after": "30" } });
  expect(await send(behind, "hello")).toMatchObject({ status: "retry", afterMs: 30_000 });
  expect(await send(behind, "hello", { to: { channel: other } })).toMatchObject({ status: "retry" });
});

test("DC-07: the headers of answers are kept to: a long reply waits for its bucket and never meets a 429", async () => {
  await using t = await sending();
  t.api.limit = { count: 2, ms: 400 };
  const long = ["a", "b", "c", "d", "e"].map((letter) => letter.repeat(1_900)).join(" ");
  expect(await send(t, long)).toMatchObject({ status: "sent" });
  expect([t.api.said().length, t.api.of(messages).length]).toEqual([5, 5]);
});

test("DC-08: after 20 refused answers in ten minutes nothing is called any more, and it is said why", async () => {
  await using t = await sending();
  for (let i = 0; i < 25; i += 1)
    t.api.failures.push({ what: messages, status: 403, code: 50_001, message: "Missing Access" });
  const ends: Sent[] = [];
  for (let i = 0; i < 22; i += 1) ends.push(await send(t, "hello"));
  expect(ends.map(({ status }) => status)).toEqual([...Array<string>(20).fill("refused"), "retry", "retry"]);
  expect(ends.at(-1)).toMatchObject({
    scope: "channel",
    afterMs: expect.any(Number),
    reason: expect.stringContaining("refused 20 calls"),
  });
  expect(t.api.of(messages)).toHaveLength(20);
  const shared = await sending();
  await using _ = shared;
  for (let i = 0; i < 22; i += 1) {
    const body = { retry_after: 0.001, global: false };
    shared.api.failures.push({
      what: messages,
      status: 429,
      body,
      headers: { "x-ratelimit-scope": "shared" },
    });
    await send(shared, "hello");
  }
  expect(await send(shared, "hello")).toMatchObject({ status: "sent" });
});

test("CC-13: a form that the platform does not understand is left out, once, so that the answer arrives", async () => {
  await using t = await sending();
  const bad = { what: messages, status: 400, code: 50_035, message: "Invalid Form Body" };
  t.api.failures.push(bad);
  expect(await send(t, "**bold**")).toMatchObject({ status: "sent" });
  expect(t.api.of(messages).map(({ body }) => body["content"])).toEqual(["**bold**", "bold"]);
  t.api.failures.push(bad, bad);
  expect(await send(t, "**bold**")).toMatchObject({ status: "refused" });
});

test.each<[number, number, string, Partial<Sent>]>([
  [403, 50_007, "Cannot send messages to this user", { status: "refused" }],
  [404, 10_003, "Unknown Channel", { status: "refused" }],
  [401, 0, "401: Unauthorized", { status: "retry", scope: "channel" }],
  [500, 0, "Internal Server Error", { status: "retry" }],
  [502, 0, "Bad Gateway", { status: "retry" }],
])("CC-10: the platform's %i (%i, %s) means %j", async (status, code, message, outcome) => {
  await using t = await sending();
  t.api.failures.push({ what: messages, status, code, message });
  const reason = expect.stringContaining(`API error: ${status} (${message})`);
  expect(await send(t, "hello")).toEqual({ ...outcome, reason });
});

test("CC-09: a platform that is away, cut off or silent means another try", async () => {
  await using t = await sending();
  t.api.failures.push({ what: messages, how: "silent" });
  const message = { to: { channel: chat }, parts: textParts("x"), key: "x" };
  const sent = t.host.slot(Channels).get("discord")!.send(message, AbortSignal.timeout(100));
  expect(await sent).toMatchObject({ status: "retry" });
  t.api.failures.push({ what: messages, how: "html", status: 502 });
  expect(await send(t, "x")).toMatchObject({ status: "retry" });
  await t.api[Symbol.asyncDispose]();
  expect(await send(t, "x")).toMatchObject({ status: "retry", scope: "channel" });
});

test("CC-07: what is no address of this channel is refused and nothing is sent", async () => {
  await using t = await sending();
  const wrong: readonly Json[] = [
    "../users/@me",
    1,
    null,
    [],
    {},
    { channel: 1 },
    { channel: "../users/@me" },
    { channel: chat, message: 5 },
  ];
  for (const to of wrong) expect(await send(t, "hello", { to })).toMatchObject({ status: "refused" });
  expect(t.api.calls).toEqual([]);
});

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);

test("DC-16: files that come in are bounded by what the event says before any is loaded; each is kept or named in a line", async () => {
  const asked: (readonly Part[])[] = [];
  const provider = fakeProvider([({ messages: all }) => (asked.push(all.at(-1)?.parts ?? []), "seen")]);
  await using t = await startDiscord({ plugins: [memoryStore(), provider] });
  t.api.files.set("a.png", png);
  t.api.files.set("note.ogg", new Uint8Array(10));
  const file = (
    filename: string,
    size: number,
    content_type: string,
    url = `${t.api.url}/files/${filename}`,
  ) => ({
    attachments: [{ id: "1", filename, size, content_type, url }],
  });
  const said = [
    ["what is it?", file("a.png", png.length, "image/png")],
    ["", { ...file("note.ogg", 10, "audio/ogg"), flags: 1 << 13 }],
    ["", file("big.pdf", 30 * 1024 * 1024, "application/pdf")],
    ["", file("gone.txt", 4, "text/plain; charset=utf-8")],
    ["", file("elsewhere.txt", 4, "text/plain", "http://127.0.0.1:1/files/x")],
  ] as const;
  for (const [i, [text, message]] of said.entries()) {
    t.say(text, message);
    await t.api.sent(i + 1);
  }
  const lines = asked.map((parts) =>
    parts.map((part) => (part.type === "media" ? part.media.mime : part.type === "text" ? part.text : "")),
  );
  expect(lines).toEqual([
    ["what is it?", attached("[a.png, image/png, 11 bytes]"), "image/png"],
    [
      attached("[note.ogg, audio/ogg, 10 bytes]"),
      "audio/ogg",
      attached(
        "[voice message: note.ogg, audio/ogg, 10 bytes: not put into words, as no plugin fills the slot transcriber]",
      ),
    ],
    [attached("[file: big.pdf, application/pdf, 31457280 bytes: not read, more than 25 MiB]")],
    [attached("[file: gone.txt, text/plain, 4 bytes: could not be loaded]")],
    [attached("[file: elsewhere.txt, text/plain, 4 bytes: could not be loaded]")],
  ]);
  expect(t.api.of(/^GET \/files\//).map(({ what }) => what)).toEqual([
    "GET /files/a.png",
    "GET /files/note.ogg",
    "GET /files/gone.txt",
  ]);
});

test("DC-16: pictures and files of an answer go out as such, between its words, and as a line where they are too large or gone", async () => {
  await using t = await sending();
  const media = t.host.slot(Media);
  const picture = await media.put(png, { mime: "image/png", name: "plot.png" });
  const large = await media.put(new Uint8Array(11 * 1024 * 1024), { mime: "text/csv", name: "data.csv" });
  const gone = { id: "0".repeat(64), mime: "image/png", bytes: 7, name: "gone.png" };
  const parts: Part[] = [
    ...textParts("before"),
    { type: "media", media: picture },
    ...textParts("after"),
    { type: "media", media: gone },
    { type: "media", media: large },
  ];
  expect(await send(t, parts)).toMatchObject({ status: "sent" });
  expect(
    t.api.said().map(({ content, attachments }) => [shownText(content), attachments[0]?.filename]),
  ).toEqual([
    ["before", undefined],
    ["", "plot.png"],
    [
      "after\n[gone.png, image/png, 7 bytes]\n[file: data.csv, text/csv, 11534336 bytes: not sent, more than 10 MiB]",
      undefined,
    ],
  ]);
});

test("CC-16: while a turn runs, typing is shown where it was asked, and not once after its end", async () => {
  const { promise: later, resolve: go } = Promise.withResolvers<void>();
  const provider = fakeProvider([{ text: "done", after: later }]);
  await using t = await startDiscord({ plugins: [memoryStore(), provider] });
  t.say("hello");
  await t.api.until(() => t.api.of(/typing$/).length === 1);
  expect(t.api.of(/typing$/)[0]?.what).toBe(`POST /channels/${chat}/typing`);
  go();
  await t.api.sent(1);
  expect(t.api.calls.findLastIndex(({ what }) => what.endsWith("typing"))).toBeLessThan(
    t.api.calls.findIndex(({ what }) => messages.test(what)),
  );
});
