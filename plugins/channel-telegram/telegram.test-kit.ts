import { Checks, type CheckRow, type Plugin } from "@gantry/sdk";
import {
  fakeProvider,
  memoryStore,
  startTestHost,
  type TestHost,
  type TestHostOptions,
} from "@gantry/sdk/testing";
import { vi } from "vitest";
import net from "../net-undici/index.ts";
import { FakeBotApi, token } from "./fake-bot-api.test-kit.ts";
import telegram from "./index.ts";

export const owner = { id: 111, is_bot: false, first_name: "Ada" };
export const member = { id: 222, is_bot: false, first_name: "Bob", last_name: "B." };
export const stranger = { id: 333, is_bot: false, first_name: "Eve" };
export const bot = { id: 123456789, is_bot: true, first_name: "Gantry", username: "gantry_bot" };
export const group = { id: -1001234567890, type: "supergroup", title: "Team" };

export interface TelegramOptions extends Omit<Partial<TestHostOptions>, "plugins"> {
  readonly api?: FakeBotApi;
  readonly table?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly plugins?: readonly Plugin[];
  /** False: nothing is polled. */
  readonly serves?: boolean;
}

export interface TestTelegram extends AsyncDisposable {
  readonly host: TestHost;
  readonly api: FakeBotApi;
  /** A message from the owner in a direct chat, unless told otherwise; gives the platform's number of it. */
  say(text: string, message?: Readonly<Record<string, unknown>>): number;
  check(name: string): Promise<readonly CheckRow[]>;
}

/** The channel on the fake platform, over the real network. */
export async function startTelegram(options: TelegramOptions = {}): Promise<TestTelegram> {
  const {
    table,
    env = {},
    plugins = [memoryStore(), fakeProvider(["hello there"])],
    serves = true,
  } = options;
  const api = options.api ?? (await FakeBotApi.start());
  for (const [name, value] of Object.entries({ SERVICE_ALLOW_INSECURE_LOOPBACK: "1", ...env }))
    vi.stubEnv(name, value);
  const host = await startTestHost({
    ...options,
    plugins: [...plugins, net, telegram],
    config: {
      channels: {
        telegram: { bot_token: token, allowed_user_ids: [owner.id, member.id], owners: [owner.id], ...table },
      },
      endpoints: { telegram_url: api.url },
      ...options.config,
    },
  }).finally(() => vi.unstubAllEnvs());
  if (serves) await host.serve();
  return {
    host,
    api,
    say: (text, message) => sayTo(api, text, message),
    check: (name) => host.slot(Checks).get(name)!.run(AbortSignal.timeout(60_000)),
    async [Symbol.asyncDispose]() {
      await host.stop();
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
