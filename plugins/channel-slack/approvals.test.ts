import { askingTool, fakeProvider, memoryStore, type AskingTool } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { group, member, named, owner, startSlack, stranger, type TestSlack } from "./slack.test-kit.ts";
import type { Params } from "./slack-limits.test-kit.ts";

const risky = (): AskingTool => askingTool("It is <!channel> *risky*.");

interface Asked extends AsyncDisposable {
  readonly t: TestSlack;
  /** How often the tool ran. */
  runs(): number;
  /** The question, and the message in which it stands. */
  readonly question: Params;
  readonly message: Params;
  readonly thread: string;
  press(label: string, from?: string, message?: Params, channel?: string): void;
  /** What people were told privately, once there were so many. */
  notices(count: number): Promise<readonly string[]>;
}

/** The owner asked for something in a thread of a channel, and the question is there. */
async function askedInThread(timeouts: { readonly approval?: number } = {}): Promise<Asked> {
  const tool = risky();
  const model = fakeProvider([{ calls: [{ name: tool.toolName, args: {} }] }, "done"]);
  const t = await startSlack({ plugins: [memoryStore(), model, tool.plugin], timeouts });
  const thread = await t.say(`${named} do it`, { channel: group });
  const [question = {}] = await t.api.sent(1);
  const message = t.api.messages.get(group)?.at(-1) ?? {};
  const elements: readonly Params[] = question["blocks"].at(-1).elements;
  return {
    t,
    runs: () => tool.runs(),
    question,
    message,
    thread,
    press(label, from = owner, at = message, channel = group) {
      const value = elements.find(({ text }) => text.text === label)?.["value"] ?? label;
      t.api.press(from, channel, at, value);
    },
    async notices(count) {
      await t.api.until(() => t.api.of("chat.postEphemeral").length >= count);
      return t.api.of("chat.postEphemeral").map(({ params }) => params["text"] as string);
    },
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  };
}

/** The id of its question, as people write it. */
function idOf({ question }: Asked): string {
  return /"a:([0-9a-f]{6})/.exec(JSON.stringify(question))?.[1] ?? "";
}

test("SL-15: the question has buttons in its thread; the owner's press is acknowledged, lets the tool run, and the buttons go", async () => {
  await using asked = await askedInThread();
  const { t, question, thread } = asked;
  expect(question).toMatchObject({ channel: group, thread_ts: thread });
  expect(question["text"]).toContain("It is &lt;!channel&gt; *risky*.");
  const { elements } = question["blocks"].at(-1);
  expect(elements.map(({ text }: Params) => text.text)).toEqual([
    "Allow",
    "Always, in this conversation",
    "Deny",
  ]);
  asked.press("Allow");
  expect((await t.api.sent(2))[1]?.["text"]).toBe("done");
  await t.api.until(() => t.api.of("chat.update").length === 1);
  const [updated] = t.api.of("chat.update");
  expect(updated?.refused).toBeUndefined();
  expect(updated?.params).toMatchObject({
    channel: group,
    ts: asked.message["ts"],
    text: expect.stringMatching(/✔ Allowed\.$/),
  });
  expect(updated?.params["blocks"].map(({ type }: Params) => type)).toEqual(["rich_text"]);
  expect([asked.runs(), t.api.of("chat.postEphemeral"), t.api.socketMode.waiting]).toEqual([1, [], 0]);
});

test("SL-15: a no by button runs nothing and says so in the question", async () => {
  await using asked = await askedInThread();
  asked.press("Deny");
  await asked.t.api.sent(2);
  await asked.t.api.until(() => asked.t.api.of("chat.update").length === 1);
  expect(asked.t.api.of("chat.update")[0]?.params["text"]).toMatch(/✘ Denied\.$/);
  expect(asked.runs()).toBe(0);
});

test("CC-14: a press of a stranger, of a member, in another place, of a forged button or a second time runs nothing, and each is told", async () => {
  await using asked = await askedInThread();
  asked.press("Allow", stranger);
  asked.press("Allow", member);
  asked.press("Allow", owner, { ...asked.message, thread_ts: "1700000000.000100" });
  asked.press("a:0000000000000000:allow");
  asked.press("drop table");
  const notices = await asked.notices(5);
  expect(notices.filter((text) => text.includes("Only an owner"))).toHaveLength(3);
  expect(notices.filter((text) => text.includes("no longer open"))).toHaveLength(1);
  expect(notices.filter((text) => text.includes("does nothing"))).toHaveLength(1);
  expect(asked.t.api.of("chat.postEphemeral")[0]?.params).toMatchObject({
    channel: group,
    user: stranger,
    thread_ts: asked.thread,
  });
  expect(asked.runs()).toBe(0);
  asked.press("Deny");
  await asked.t.api.sent(2);
  asked.press("Allow");
  expect((await asked.notices(6))[5]).toMatch(/decided already|no longer open/);
  expect(asked.runs()).toBe(0);
});

test("CC-14: SL-15: the owner may decide in words too, and the buttons go then", async () => {
  await using asked = await askedInThread();
  const { t, thread } = asked;
  await t.say(`${named} allow ${idOf(asked)}`, { channel: group, thread_ts: thread });
  expect((await t.api.sent(2))[1]?.["text"]).toBe("done");
  await t.api.until(() => t.api.of("chat.update").length === 1);
  expect(t.api.of("chat.update")[0]?.params["text"]).toMatch(/✔ Allowed\.$/);
  expect(asked.runs()).toBe(1);
});

test("SL-15: in a direct message the owner's press decides as well", async () => {
  const tool = risky();
  const model = fakeProvider([{ calls: [{ name: tool.toolName, args: {} }] }, "done"]);
  await using t = await startSlack({ plugins: [memoryStore(), model, tool.plugin] });
  await t.say("do it");
  const [question = {}] = await t.api.sent(1);
  const channel = question["channel"] as string;
  t.api.press(
    owner,
    channel,
    t.api.messages.get(channel)?.at(-1) ?? {},
    question["blocks"].at(-1).elements[0].value,
  );
  expect((await t.api.sent(2))[1]?.["text"]).toBe("done");
  expect(tool.runs()).toBe(1);
});

test("FLR-29: the owner's bare yes in a channel decides nothing; the button does", async () => {
  await using asked = await askedInThread();
  const { t, thread } = asked;
  await t.say(`${named} yes`, { channel: group, thread_ts: thread });
  expect((await t.api.sent(2))[1]?.["text"]).toContain(`allow ${idOf(asked)}`);
  expect(asked.runs()).toBe(0);
  asked.press("Allow");
  await t.api.sent(3);
  expect(asked.runs()).toBe(1);
});
