import { Channels, textParts, type OutgoingMessage, type Sent } from "@gantry/sdk";
import { expect, test } from "vitest";
import { owner, startTelegram, type TestTelegram } from "./telegram.test-kit.ts";

const mark = "(Sent again, as it may not have arrived.)";
const texts = (t: TestTelegram) => t.api.of("sendMessage").map(({ params }) => params["text"] as string);

function send(t: TestTelegram, text: string, given: Partial<OutgoingMessage> = {}): Promise<Sent> {
  return sendUntil(t, text, AbortSignal.timeout(60_000), given);
}

function sendUntil(
  t: TestTelegram,
  text: string,
  signal: AbortSignal,
  given: Partial<OutgoingMessage> = {},
): Promise<Sent> {
  const message = { to: { chat: owner.id }, parts: textParts(text), key: "one", ...given };
  return t.host.slot(Channels).get("telegram")!.send(message, signal);
}

test("FLR-08: an answer whose connection was cut is sent once more, marked as a copy", async () => {
  await using t = await startTelegram({ serves: false });
  t.api.failures.push({ method: "sendMessage", how: "cut" });
  expect(await send(t, "**hello**")).toMatchObject({ status: "retry", unsure: true });
  expect(await send(t, "**hello**", { earlier: "ended" })).toMatchObject({ status: "sent" });
  expect(texts(t)).toEqual(["hello", `${mark}\nhello`]);
  expect(t.api.of("sendMessage").at(-1)?.params["entities"]).toEqual([
    { type: "bold", offset: mark.length + 1, length: 5 },
  ]);
});

test("FLR-08: an answer to which the platform said nothing is sent once more, marked as a copy", async () => {
  await using t = await startTelegram({ serves: false });
  t.api.failures.push({ method: "sendMessage", how: "silent" });
  const stop = new AbortController();
  const sending = sendUntil(t, "hello", stop.signal);
  await t.api.until(() => t.api.calls.some(({ method }) => method === "sendMessage"));
  stop.abort();
  expect(await sending).toMatchObject({ status: "retry", unsure: true });
  expect(await send(t, "hello", { earlier: "ended" })).toMatchObject({ status: "sent" });
  expect(texts(t).at(-1)).toBe(`${mark}\nhello`);
});

test("FLR-08: a copy that may have been taken too is the last, and says why no more is sent", async () => {
  await using t = await startTelegram({ serves: false });
  for (let i = 0; i < 2; i += 1) t.api.failures.push({ method: "sendMessage", how: "cut" });
  await send(t, "hello");
  expect(await send(t, "hello", { earlier: "ended" })).toEqual({
    status: "refused",
    reason: expect.stringContaining("did not say whether it took the message"),
  });
  expect(texts(t)).toEqual(["hello", `${mark}\nhello`]);
});

test("FLR-08: an answer that the platform refused for now is sent again as it was", async () => {
  await using t = await startTelegram({ serves: false });
  t.api.failures.push({ method: "sendMessage", code: 502 });
  expect(await send(t, "hello")).not.toHaveProperty("unsure");
  expect(await send(t, "hello", { earlier: "ended" })).toMatchObject({ status: "sent" });
  expect(texts(t)).toEqual(["hello", "hello"]);
});

test("FLR-08: of a long answer the part that may have been taken is marked alone", async () => {
  await using t = await startTelegram({ serves: false });
  const long = ["a", "b", "c"].map((letter) => letter.repeat(4_000)).join(" ");
  t.api.failures.push({ method: "sendMessage", code: 502 }, { method: "sendMessage", how: "cut" });
  await send(t, long);
  await send(t, long, { earlier: "ended" });
  expect(await send(t, long, { earlier: "ended" })).toMatchObject({ status: "sent" });
  expect(texts(t).map((text) => text.replace(mark, "again").slice(0, 7))).toEqual([
    "aaaaaaa",
    "aaaaaaa",
    "again\na",
    "bbbbbbb",
    "ccccccc",
  ]);
});

test("FLR-10: an answer that ends within a surrogate pair arrives", async () => {
  await using t = await startTelegram({ serves: false });
  expect(await send(t, "good \ud83d")).toMatchObject({ status: "sent" });
  expect(texts(t)).toEqual(["good \ufffd"]);
});
