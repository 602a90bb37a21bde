import { startChannel, type ChannelOptions, type StartedChannel } from "../../test/helpers/channel.ts";
import { FakeBotApi, token } from "./fake-bot-api.test-kit.ts";
import telegram from "./index.ts";

export const owner = { id: 111, is_bot: false, first_name: "Ada" };
export const member = { id: 222, is_bot: false, first_name: "Bob", last_name: "B." };
export const stranger = { id: 333, is_bot: false, first_name: "Eve" };
export const bot = { id: 123456789, is_bot: true, first_name: "Gantry", username: "gantry_bot" };
export const group = { id: -1001234567890, type: "supergroup", title: "Team" };

export interface TelegramOptions extends ChannelOptions {
  readonly api?: FakeBotApi;
}

export interface TestTelegram extends StartedChannel, AsyncDisposable {
  readonly api: FakeBotApi;
  /**
   * A message from the owner in a direct chat, unless told otherwise; gives the platform's number
   * of it.
   */
  say(text: string, message?: Readonly<Record<string, unknown>>): number;
}

/** The channel on the fake platform, over the real network. */
export async function startTelegram(options: TelegramOptions = {}): Promise<TestTelegram> {
  const api = options.api ?? (await FakeBotApi.start());
  const own = { bot_token: token, allowed_user_ids: [owner.id, member.id], owners: [owner.id] };
  const config = {
    channels: { telegram: { ...own, ...options.table } },
    endpoints: { telegram_url: api.url },
  };
  const started = await startChannel(telegram, config, options);
  return {
    ...started,
    api,
    say: (text, message) => sayTo(api, text, message),
    async [Symbol.asyncDispose]() {
      await started.host.stop();
      if (options.api === undefined) await api[Symbol.asyncDispose]();
    },
  };
}

let counter = 0;

export function sayTo(api: FakeBotApi, text: string, given: Readonly<Record<string, unknown>> = {}): number {
  const message_id = (counter += 1);
  const from = (given["from"] ?? owner) as { id: number };
  const chat = { id: from.id, type: "private" };
  api.push({
    message: { message_id, date: 1_700_000_000, chat, from, ...(text !== "" && { text }), ...given },
  });
  return message_id;
}

/** Words with an entity around one of them. */
export function entity(type: string, text: string, word: string): object {
  return { type, offset: text.indexOf(word), length: word.length };
}
