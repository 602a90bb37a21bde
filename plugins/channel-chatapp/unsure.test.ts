import { Channels, Media, textParts, type OutgoingMessage, type Part, type Sent } from "@gantry/sdk";
import { expect, test } from "vitest";
import { startChatapp, startGraph, type FakeGraph, type TestChatapp } from "./chatapp.test-kit.ts";

const mark = "(Sent again, as it may not have arrived.)";
const bodies = ({ calls }: FakeGraph) => calls.flatMap(({ body }) => body.text?.body ?? []);

function send(
  chatapp: TestChatapp,
  parts: readonly Part[],
  given: Partial<OutgoingMessage> = {},
  signal: AbortSignal = AbortSignal.timeout(60_000),
): Promise<Sent> {
  const outgoing = { to: "+15551234567", parts, key: "one", ...given };
  return chatapp.host.slot(Channels).get("chatapp")!.send(outgoing, signal);
}

test("FLR-08: chat-app: an answer whose connection was cut is sent once more, marked as a copy", async () => {
  await using graph = await startGraph();
  await using chatapp = await startChatapp({ graph });
  graph.answers.push({ status: 200, cut: true });
  expect(await send(chatapp, textParts("hello"))).toMatchObject({ status: "retry", unsure: true });
  expect(await send(chatapp, textParts("hello"), { earlier: "ended" })).toEqual({ status: "sent" });
  expect(bodies(graph)).toEqual(["hello", `${mark}\nhello`]);
});

test("FLR-08: chat-app: an answer to which the platform said nothing is sent once more, marked", async () => {
  await using graph = await startGraph();
  await using chatapp = await startChatapp({ graph });
  graph.answers.push({ status: 200, never: true });
  const stop = new AbortController();
  const sending = send(chatapp, textParts("hello"), {}, stop.signal);
  await graph.count(1);
  stop.abort();
  expect(await sending).toMatchObject({ status: "retry", unsure: true });
  await send(chatapp, textParts("hello"), { earlier: "ended" });
  expect(bodies(graph)).toEqual(["hello", `${mark}\nhello`]);
});

test("FLR-08: chat-app: an answer that was under way when its process ended is marked as a copy", async () => {
  await using graph = await startGraph();
  await using chatapp = await startChatapp({ graph });
  expect(await send(chatapp, textParts("hello"), { earlier: "cut" })).toEqual({ status: "sent" });
  expect(bodies(graph)).toEqual([`${mark}\nhello`]);
});

test("FLR-08: chat-app: no copy is sent to a platform that does not answer", async () => {
  await using graph = await startGraph();
  await using chatapp = await startChatapp({ graph });
  const cut = { status: 200, cut: true };
  graph.answers.push(cut, cut, cut);
  for (const earlier of [{}, { earlier: "ended" }, { earlier: "ended" }] as const)
    expect(await send(chatapp, textParts("hello"), earlier)).toMatchObject({ status: "retry" });
  expect(await send(chatapp, textParts("hello"), { earlier: "ended" })).toEqual({ status: "sent" });
  expect(bodies(graph)).toEqual(["hello", `${mark}\nhello`]);
});

test("FLR-10: chat-app: an answer that ends within a surrogate pair arrives", async () => {
  await using graph = await startGraph();
  await using chatapp = await startChatapp({ graph });
  expect(await send(chatapp, textParts("good \ud83d"))).toEqual({ status: "sent" });
  expect(bodies(graph)).toEqual(["good \ufffd"]);
});

async function file(chatapp: TestChatapp, name: string, mime: string, alt: string): Promise<Part> {
  const media = await chatapp.host.slot(Media).put(Buffer.from(`bytes of ${name}`), { mime, name, alt });
  return { type: "media", media };
}

test("FLR-19: chat-app: a picture is brought to the platform and sent as an image with its caption", async () => {
  await using graph = await startGraph();
  await using chatapp = await startChatapp({ graph });
  const picture = await file(chatapp, "a.png", "image/png", "The way");
  expect(await send(chatapp, [...textParts("Here:"), picture])).toEqual({ status: "sent" });
  const [, upload, sent] = graph.calls;
  expect([upload?.path, upload?.body.messaging_product]).toEqual(["/v18.0/1234567890/media", "whatsapp"]);
  expect(await upload?.body.file.text()).toBe("bytes of a.png");
  const image = { id: expect.stringMatching(/^media-/), caption: "The way" };
  expect(sent?.body).toMatchObject({ to: "15551234567", type: "image", image });
});

test("FLR-19: chat-app: a file of another kind is sent as a document under its name", async () => {
  await using graph = await startGraph();
  await using chatapp = await startChatapp({ graph });
  await send(chatapp, [await file(chatapp, "plan.pdf", "application/pdf", "The plan")]);
  const document = { filename: "plan.pdf", caption: "The plan" };
  expect(graph.calls.at(-1)?.body).toMatchObject({ type: "document", document });
});

test("FLR-19: chat-app: a file that the platform refuses is told in a sentence, and the rest arrives", async () => {
  await using graph = await startGraph();
  await using chatapp = await startChatapp({ graph });
  const kind = { status: 400, body: { error: { message: "Unsupported type" } } };
  graph.answers.push({ status: 200 }, kind);
  const odd = await file(chatapp, "a.xyz", "application/x-odd", "");
  expect(await send(chatapp, [...textParts("Here:"), odd])).toEqual({ status: "sent" });
  expect(bodies(graph)).toEqual([
    "Here:",
    expect.stringMatching(/^\[a\.xyz, application\/x-odd, 14 bytes\] was not delivered: .*Unsupported type/),
  ]);
});
