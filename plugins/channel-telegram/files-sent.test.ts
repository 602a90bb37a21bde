import { Channels, Media, textParts, type OutgoingMessage, type Part, type Sent } from "@gantry/sdk";
import { expect, test } from "vitest";
import { albumOf } from "./bot-api-limits.test-kit.ts";
import { owner, startTelegram, type TestTelegram } from "./telegram.test-kit.ts";

async function file(t: TestTelegram, name: string, alt?: string): Promise<Part> {
  const mime = name.endsWith(".png") ? "image/png" : "application/pdf";
  const facts = { mime, name, ...(alt !== undefined && { alt }) };
  return { type: "media", media: await t.host.slot(Media).put(Buffer.from(`bytes of ${name}`), facts) };
}

function send(t: TestTelegram, parts: readonly Part[], given: Partial<OutgoingMessage> = {}): Promise<Sent> {
  const message = { to: { chat: owner.id }, parts, key: "one", ...given };
  return t.host.slot(Channels).get("telegram")!.send(message, AbortSignal.timeout(60_000));
}

const methods = (t: TestTelegram) =>
  t.api.calls.flatMap(({ method }) => (/^send(?!Chat)/.test(method) ? [method] : []));

test("FLR-19: a picture goes as a photo and a file as a document, each with its caption", async () => {
  await using t = await startTelegram({ serves: false });
  const parts = [
    ...textParts("Here:"),
    await file(t, "a.png", "The way"),
    await file(t, "b.pdf", "The plan"),
  ];
  expect(await send(t, parts)).toMatchObject({ status: "sent" });
  expect(methods(t)).toEqual(["sendMessage", "sendPhoto", "sendDocument"]);
  const [photo, document] = [t.api.of("sendPhoto")[0]?.params, t.api.of("sendDocument")[0]?.params];
  expect([photo?.["caption"], document?.["caption"]]).toEqual(["The way", "The plan"]);
  expect([photo?.["photo"].name, await document?.["document"].text()]).toEqual(["a.png", "bytes of b.pdf"]);
});

test("FLR-19: neighbouring pictures go as one album", async () => {
  await using t = await startTelegram({ serves: false });
  const parts = [await file(t, "a.png", "One"), await file(t, "b.png"), await file(t, "c.pdf")];
  expect(await send(t, parts)).toMatchObject({ status: "sent" });
  expect(methods(t)).toEqual(["sendMediaGroup", "sendDocument"]);
  const { params } = t.api.of("sendMediaGroup")[0]!;
  expect(albumOf(params)).toEqual([
    { type: "photo", media: "attach://file0", caption: "One" },
    { type: "photo", media: "attach://file1" },
  ]);
  expect(await params["file1"].text()).toBe("bytes of b.png");
});

test("FLR-19: a picture that the platform does not show goes as a document", async () => {
  await using t = await startTelegram({ serves: false });
  t.api.failures.push({
    method: "sendPhoto",
    code: 400,
    description: "Bad Request: PHOTO_INVALID_DIMENSIONS",
  });
  expect(await send(t, [await file(t, "a.png")])).toMatchObject({ status: "sent" });
  expect(methods(t)).toEqual(["sendPhoto", "sendDocument"]);
});

test("FLR-19: a refused album goes file by file, and the person is told of the one that is refused alone", async () => {
  await using t = await startTelegram({ serves: false });
  const refused = { code: 400, description: "Bad Request: file is broken" };
  t.api.failures.push({ method: "sendMediaGroup", ...refused }, { method: "sendDocument", ...refused });
  expect(await send(t, [await file(t, "a.pdf"), await file(t, "b.pdf")])).toMatchObject({ status: "sent" });
  expect(methods(t)).toEqual(["sendMediaGroup", "sendDocument", "sendMessage", "sendDocument"]);
  expect(t.api.of("sendMessage")[0]?.params["text"]).toMatch(
    /^\[a\.pdf, application\/pdf, 14 bytes\] was not delivered: .*file is broken/,
  );
});

test("FLR-19: the text of an answer arrives though its file is refused, and says so in a sentence", async () => {
  await using t = await startTelegram({ serves: false });
  t.api.failures.push({ method: "sendDocument", code: 413, description: "Request Entity Too Large" });
  const parts = [...textParts("Here:"), await file(t, "a.pdf"), await file(t, "b.png")];
  expect(await send(t, parts)).toMatchObject({ status: "sent" });
  expect(methods(t)).toEqual(["sendMessage", "sendDocument", "sendMessage", "sendPhoto"]);
});

const broken = { code: 400, description: "Bad Request: file is broken" };

/** The files that the platform took, each with the last line of its caption and if it is marked. */
const taken = (t: TestTelegram) =>
  t.api.calls
    .filter(({ method, refused }) => /^send(?:Photo|Document)$/.test(method) && !refused)
    .map(({ params: { photo, document, caption = "" } }) => [
      (photo ?? document).name,
      caption.split("\n").at(-1),
      caption.startsWith("(Sent again"),
    ])
    .toSorted();

test("FLR-08: of an album that goes file by file another try sends what is left", async () => {
  await using t = await startTelegram({ serves: false });
  t.api.failures.push(
    { method: "sendMediaGroup", ...broken },
    { method: "sendPhoto", ...broken },
    { method: "sendPhoto", code: 502 },
  );
  const parts = [await file(t, "a.png"), await file(t, "b.png"), await file(t, "c.png")];
  expect(await send(t, parts)).toMatchObject({ status: "retry" });
  t.api.failures.push({ method: "sendMediaGroup", code: 500 });
  expect(await send(t, parts, { earlier: "ended" })).toMatchObject({ status: "sent" });
  expect(taken(t)).toEqual([
    ["a.png", "", false],
    ["b.png", "", false],
    ["c.png", "", false],
  ]);
});

test("FLR-08: of an album that goes file by file what may have been taken is marked", async () => {
  await using t = await startTelegram({ serves: false });
  t.api.failures.push(
    { method: "sendMediaGroup", ...broken },
    { method: "sendPhoto", ...broken },
    { method: "sendPhoto", how: "cut" },
  );
  const parts = [await file(t, "a.png"), await file(t, "b.png", "Two"), await file(t, "c.png")];
  expect(await send(t, parts)).toMatchObject({ status: "retry", unsure: true });
  expect(await send(t, parts, { earlier: "ended" })).toMatchObject({ status: "sent" });
  expect(taken(t)).toEqual([
    ["a.png", "", false],
    ["b.png", "Two", false],
    ["b.png", "Two", true],
    ["c.png", "", false],
  ]);
});

test("FLR-08: an album that may have been taken twice does not go file by file", async () => {
  await using t = await startTelegram({ serves: false });
  t.api.failures.push({ method: "sendMediaGroup", how: "cut" }, { method: "sendMediaGroup", how: "cut" });
  const parts = [await file(t, "a.png"), await file(t, "b.png")];
  await send(t, parts);
  expect(await send(t, parts, { earlier: "ended" })).toMatchObject({ status: "refused" });
  expect(methods(t)).toEqual(["sendMediaGroup", "sendMediaGroup"]);
});
