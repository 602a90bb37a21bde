import { Channels, Media, textParts, type Part, type Sent } from "@gantry/sdk";
import { createMemoryStore, fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { owner, startEmail, type TestEmail } from "./email.test-kit.ts";
import { MailServer } from "./mail-server.test-kit.ts";

function sendingAlone(): Promise<TestEmail> {
  const plugins = [memoryStore(createMemoryStore()), fakeProvider([])];
  return startEmail({ server: MailServer.nowhere(), serves: false, plugins });
}

async function answerWith(t: TestEmail, alt: string): Promise<Sent> {
  const facts = { mime: "application/pdf", name: "plan.pdf", alt };
  const media = await t.host.slot(Media).put(Buffer.from("a plan"), facts);
  const parts: readonly Part[] = [...textParts("Here:"), { type: "media", media }];
  const message = { to: { to: owner, references: [], subject: "x" }, parts, key: "one" };
  return t.host.slot(Channels).get("email")!.send(message, AbortSignal.timeout(60_000));
}

test("FLR-19: e-mail: a file goes as an attachment of the answer, which says what it shows", async () => {
  await using t = await sendingAlone();
  expect(await answerWith(t, "The plan")).toMatchObject({ status: "sent" });
  const [mail] = t.sink.mails;
  const { text, attachments } = mail!.shown;
  expect(text).toBe("Here:\nplan.pdf: The plan");
  expect(attachments.map(({ filename, mimeType }) => [filename, mimeType])).toEqual([
    ["plan.pdf", "application/pdf"],
  ]);
});

test("FLR-19: e-mail: a server that takes no file gets the answer without it, and a sentence in its place", async () => {
  await using t = await sendingAlone();
  t.sink.failures.push({ at: "data", code: 552, text: "5.3.4 message too big" });
  expect(await answerWith(t, "")).toMatchObject({ status: "sent" });
  expect(t.sink.mails.map(({ shown }) => [shown.text, shown.attachments.length])).toEqual([
    [expect.stringMatching(/^Here:\nThe file plan\.pdf was not delivered: .*message too big/), 0],
  ]);
});
