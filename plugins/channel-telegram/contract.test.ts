import {
  channelPlatformContract,
  type ChannelPlatformSubject,
  type SendingEnds,
  type TestPlatform,
  type Told,
  type Writing,
} from "@gantry/sdk/testing";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { questionsAreRead } from "../../test/helpers/questions-are-read.ts";
import net from "../net-undici/index.ts";
import type { Params } from "./bot-api-limits.test-kit.ts";
import { FakeBotApi, token, type Failure } from "./fake-bot-api.test-kit.ts";
import telegram from "./index.ts";
import { bot, entity, group, member, owner, sayTo, stranger } from "./telegram.test-kit.ts";

const otherBot = { id: 444, is_bot: true, first_name: "Robot", username: "robot_bot" };
const people = new Map([owner, member, stranger, otherBot, bot].map((person) => [String(person.id), person]));

beforeAll(() => void vi.stubEnv("SERVICE_ALLOW_INSECURE_LOOPBACK", "1"));
afterAll(() => void vi.unstubAllEnvs());

function failureOf(ending: SendingEnds): Failure {
  if (ending.how === "rate") {
    const retry_after = ending.afterMs / 1_000;
    return { code: 429, description: "Too Many Requests", parameters: { retry_after } };
  }
  if (ending.how === "account") return { code: 401, description: "Unauthorized" };
  return { code: 400, description: "Bad Request: can't parse entities" };
}

function toldOf({ chat_id, text, message_thread_id, reply_markup }: Params): Told {
  const buttons: readonly Params[] = reply_markup?.inline_keyboard.flat() ?? [];
  return {
    text,
    ...(chat_id === group.id ? { place: "group" } : { place: "direct", to: String(chat_id) }),
    ...(message_thread_id !== undefined && { thread: String(message_thread_id) }),
    ...(buttons.length > 0 && { buttons: buttons.map((button) => String(button["text"])) }),
  };
}

/** The fake platform as the contract drives it. */
function platformOn(api: FakeBotApi): TestPlatform {
  const sent = () => api.of("sendMessage").filter(({ refused }) => !refused);
  let last: (() => void) | undefined;
  return {
    async write({ from, text, place = "direct", thread, mention = false, twice = false }: Writing) {
      const words = mention ? `@gantry_bot ${text}` : text;
      const message = {
        from: people.get(from),
        message_id: (api.nextUpdate += 1),
        ...(place === "group" && { chat: group }),
        ...(thread !== undefined && { message_thread_id: Number(thread), is_topic_message: true }),
        ...(mention && { entities: [entity("mention", words, "@gantry_bot")] }),
      };
      last = () => void sayTo(api, words, message);
      for (let times = twice ? 2 : 1; times > 0; times -= 1) last();
    },
    again: async () => last?.(),
    told: () => sent().map(({ params }) => toldOf(params)),
    taken: () => api.confirmed.length,
    failNext: (ending) => void api.failures.push({ method: "sendMessage", ...failureOf(ending) }),
    async press(label, from) {
      const asked = sent().findLast(({ params }) => params["reply_markup"] !== undefined);
      const buttons: readonly Params[] = asked?.params["reply_markup"].inline_keyboard.flat() ?? [];
      const data = buttons.find((button) => button["text"] === label)?.["callback_data"];
      const message = { message_id: 1, date: 1, chat: { id: asked?.params["chat_id"], type: "private" } };
      const id = api.press({ from: people.get(from), message, data });
      const answer = () =>
        api.of("answerCallbackQuery").find(({ params }) => params["callback_query_id"] === id);
      await api.until(() => answer() !== undefined);
      return String(answer()?.params["text"]);
    },
    typing: () => api.of("sendChatAction").length,
    close: () => api[Symbol.asyncDispose](),
  };
}

const subject: ChannelPlatformSubject = {
  channel: "telegram",
  people: { owner: "111", member: "222", stranger: "333", bot: "444", self: String(bot.id) },
  to: { chat: owner.id },
  secrets: [token, token.split(":")[1] as string],
  groups: true,
  threads: true,
  buttons: true,
  repeats: true,
  framed: true,
  async open(keys = {}) {
    const api = await FakeBotApi.start();
    const table = {
      bot_token: token,
      allowed_user_ids: [owner.id, member.id, otherBot.id, bot.id],
      owners: [owner.id],
    };
    const config = { channels: { telegram: { ...table, ...keys } }, endpoints: { telegram_url: api.url } };
    return { platform: platformOn(api), plugins: [net, telegram], config };
  },
};
const cases = channelPlatformContract(subject);

test.each(cases)("CHN-05: $name", async ({ run }) => {
  await expect(run()).resolves.toBeUndefined();
});

test("SEC-19: channel-telegram: whatever would run, the question about it is read sign by sign", async () => {
  await expect(questionsAreRead(subject)).resolves.toBeUndefined();
});
