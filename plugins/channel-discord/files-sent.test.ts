import { Channels, Media, textParts, type Part, type Sent } from "@gantry/sdk";
import { expect, test } from "vitest";
import { chatOf, owner, startDiscord, type TestDiscord } from "./discord.test-kit.ts";
import { shownText } from "./shown-text.test-kit.ts";

const chat = chatOf(owner);

async function answerWith(t: TestDiscord, alt: string): Promise<Sent> {
  t.api.channels.set(chat, { id: chat, messages: [] });
  const facts = { mime: "application/pdf", name: "plan.pdf", alt };
  const media = await t.host.slot(Media).put(Buffer.from("a plan"), facts);
  const parts: readonly Part[] = [...textParts("Here:"), { type: "media", media }];
  const message = { to: { channel: chat }, parts, key: "one" };
  return t.host.slot(Channels).get("discord")!.send(message, AbortSignal.timeout(60_000));
}

test("FLR-19: Discord: a file goes as an attachment with its caption, sign by sign", async () => {
  await using t = await startDiscord({ serves: false });
  expect(await answerWith(t, "The *plan* of @everyone")).toMatchObject({ status: "sent" });
  expect(shownText(t.api.said().at(-1)?.["content"])).toBe("The *plan* of @everyone");
  const call = t.api.calls.findLast(({ files }) => files.length > 0);
  expect(call?.body["attachments"]).toEqual([
    { id: 0, filename: "plan.pdf", description: "The *plan* of @everyone" },
  ]);
});

test("FLR-19: Discord: a file that is refused is told in a sentence, and the text arrives", async () => {
  await using t = await startDiscord({ serves: false });
  const tooLarge = { status: 413, code: 40_005, message: "Request entity too large" };
  t.api.failures.push({ ...tooLarge, withFiles: true });
  expect(await answerWith(t, "")).toMatchObject({ status: "sent" });
  expect(t.api.said().map(({ content }) => shownText(content))).toEqual([
    "Here:",
    expect.stringMatching(/^\[plan\.pdf, application\/pdf, 6 bytes\] was not delivered: .*too large/),
  ]);
});
