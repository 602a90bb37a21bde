import { askingTool, fakeProvider, memoryStore, type AskingTool } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { group, member, owner, startTelegram, stranger, type TestTelegram } from "./telegram.test-kit.ts";

const risky = (): AskingTool => askingTool("It is risky.");

interface Asked extends AsyncDisposable {
  readonly t: TestTelegram;
  /** How often the tool ran. */
  runs(): number;
  /** The buttons by what stands on them. */
  readonly buttons: Readonly<Record<string, string>>;
  readonly message: object;
  press(button: string, from?: object, message?: object): Promise<string>;
}

/** The owner asked for something in a group, and the question is there. */
async function askedInGroup(timeouts: { readonly approval?: number } = {}): Promise<Asked> {
  const tool = risky();
  const model = fakeProvider([{ calls: [{ name: tool.toolName, args: {} }] }, "done"]);
  const t = await startTelegram({
    plugins: [memoryStore(), model, tool.plugin],
    table: { groups: "all" },
    timeouts,
  });
  t.say("do it", { chat: group });
  const [question] = await t.api.sent(1);
  const rows: { text: string; callback_data: string }[] = question?.["reply_markup"].inline_keyboard.flat();
  const buttons = Object.fromEntries(rows.map(({ text, callback_data }) => [text, callback_data]));
  const message = { message_id: 5_001, date: 1, chat: group };
  return {
    t,
    runs: () => tool.runs(),
    buttons,
    message,
    async press(button, from = owner, at = message) {
      const id = t.api.press({ from, message: at, data: buttons[button] ?? button });
      const answer = () =>
        t.api.of("answerCallbackQuery").find(({ params }) => params["callback_query_id"] === id);
      await t.api.until(() => answer() !== undefined);
      return answer()?.params["text"] as string;
    },
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  };
}

/** The id of its question, as people write it. */
function idOf({ buttons }: Asked): string {
  return buttons["Allow"]?.split(":")[1]?.slice(0, 6) ?? "";
}

test("TG-14: the question has buttons; the owner's press lets the tool run, is answered, and the buttons go", async () => {
  await using asked = await askedInGroup();
  const { t } = asked;
  const [question] = t.api.of("sendMessage");
  expect(question?.params["text"]).toContain("It is risky.");
  expect(question?.params["reply_parameters"]).toMatchObject({ allow_sending_without_reply: true });
  expect(await asked.press("Allow")).toBe("Allowed.");
  expect((await t.api.sent(2))[1]?.["text"]).toBe("done");
  await t.api.until(() => t.api.of("editMessageText").length === 1);
  const [edited] = t.api.of("editMessageText");
  expect(edited?.params).toMatchObject({
    chat_id: group.id,
    message_id: 5_001,
    text: expect.stringMatching(/✔ Allowed\.$/),
  });
  expect(edited?.params).not.toHaveProperty("reply_markup");
  expect(asked.runs()).toBe(1);
});

test("TG-14: a no by button runs nothing and says so in the question", async () => {
  await using asked = await askedInGroup();
  expect(await asked.press("Deny")).toBe("Denied.");
  await asked.t.api.sent(2);
  await asked.t.api.until(() => asked.t.api.of("editMessageText").length === 1);
  expect(asked.t.api.of("editMessageText")[0]?.params["text"]).toMatch(/✘ Denied\.$/);
  expect(asked.runs()).toBe(0);
});

test("CC-14: a press of a stranger, of a member, in another place, of a forged button or a second time runs nothing, and each is told", async () => {
  await using asked = await askedInGroup();
  const topic = { ...asked.message, message_thread_id: 7, is_topic_message: true };
  expect(await asked.press("Allow", stranger)).toContain("Only an owner");
  expect(await asked.press("Allow", member)).toContain("Only an owner");
  expect(await asked.press("Allow", owner, topic)).toContain("Only an owner");
  expect(await asked.press("a:0000000000000000:allow")).toContain("no longer open");
  expect(await asked.press("drop table")).toContain("does nothing");
  expect(asked.runs()).toBe(0);
  await asked.press("Deny");
  expect(await asked.press("Allow")).toContain("decided already");
  await asked.t.api.sent(2);
  expect(asked.runs()).toBe(0);
});

test("CC-14: TG-14: the owner may decide in words too, and the buttons go then", async () => {
  await using asked = await askedInGroup();
  const { t } = asked;
  t.say(`allow ${idOf(asked)}`, { chat: group });
  expect((await t.api.sent(2))[1]?.["text"]).toBe("done");
  await t.api.until(() => t.api.of("editMessageText").length === 1);
  expect(t.api.of("editMessageText")[0]?.params["text"]).toMatch(/✔ Allowed\.$/);
  expect(asked.runs()).toBe(1);
});

test("FLR-29: the owner's bare yes in a group decides nothing; the button does", async () => {
  await using asked = await askedInGroup();
  const { t } = asked;
  t.say("yes", { chat: group });
  expect((await t.api.sent(2))[1]?.["text"]).toContain(`allow ${idOf(asked)}`);
  expect(asked.runs()).toBe(0);
  expect(await asked.press("Allow")).toBe("Allowed.");
  await t.api.sent(3);
  expect(asked.runs()).toBe(1);
});
