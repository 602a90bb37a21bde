import { Channels, Media, textParts, type Part, type Sent } from "@gantry/sdk";
import { expect, test } from "vitest";
import { group, seenOf, startSlack } from "./slack.test-kit.ts";

type TestSlack = Awaited<ReturnType<typeof startSlack>>;

async function answerWith(t: TestSlack, alt: string): Promise<Sent> {
  const facts = { mime: "application/pdf", name: "plan.pdf", alt };
  const media = await t.host.slot(Media).put(Buffer.from("a plan"), facts);
  const parts: readonly Part[] = [...textParts("Here:"), { type: "media", media }];
  const message = { to: { channel: group }, parts, key: "one" };
  return t.host.slot(Channels).get("slack")!.send(message, AbortSignal.timeout(60_000));
}

test("FLR-19: Slack: a file is brought in three steps and shared with its caption", async () => {
  await using t = await startSlack({ serves: false });
  expect(await answerWith(t, "The plan of <!everyone>")).toMatchObject({ status: "sent" });
  const [shared] = t.api.of("files.completeUploadExternal");
  expect(shared?.params["initial_comment"]).toBe("The plan of &lt;!everyone&gt;");
  expect([...t.api.files.values()].map(({ name, sharedIn }) => [name, sharedIn])).toEqual([
    ["plan.pdf", [group]],
  ]);
});

test("FLR-19: Slack: without the scope for files the text arrives, and says what is missing", async () => {
  await using t = await startSlack({ serves: false });
  t.api.scopes.delete("files:write");
  expect(await answerWith(t, "")).toMatchObject({ status: "sent" });
  expect((await t.api.sent(2)).map(seenOf)).toEqual([
    "Here:",
    expect.stringMatching(/^\[plan\.pdf, application\/pdf, 6 bytes\] was not delivered: .*files:write/),
  ]);
});
