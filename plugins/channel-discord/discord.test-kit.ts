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
import type { Params } from "./discord-limits.test-kit.ts";
import { FakeDiscord, self, token } from "./fake-discord.test-kit.ts";
import discord from "./index.ts";

export const owner = { id: "111111111111111111", username: "ada", global_name: "Ada" };
export const member = { id: "222222222222222222", username: "bob" };
export const stranger = { id: "333333333333333333", username: "eve" };
export const guild = "900000000000000001";
/** A channel of the server, and a thread in it. */
export const hall = "910000000000000001";
export const thread = "920000000000000001";
export const named = `<@${self.id}>`;

export interface DiscordOptions extends Omit<Partial<TestHostOptions>, "plugins"> {
  readonly api?: FakeDiscord;
  readonly table?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly plugins?: readonly Plugin[];
  /** False: no gateway. */
  readonly serves?: boolean;
  /** False: it serves, and does not come as far as a session. */
  readonly connects?: boolean;
}

export interface TestDiscord extends AsyncDisposable {
  readonly host: TestHost;
  readonly api: FakeDiscord;
  /** A message from the owner in a direct chat, unless told otherwise; gives the platform's id of it. */
  say(text: string, message?: Params): string;
  check(name: string): Promise<readonly CheckRow[]>;
  /** Resolves once a session is at the gateway. */
  connected(): Promise<void>;
}

/** The channel on the fake platform, over the real network. */
export async function startDiscord(options: DiscordOptions = {}): Promise<TestDiscord> {
  const {
    table,
    env = {},
    plugins = [memoryStore(), fakeProvider(["hello there"])],
    serves = true,
    connects = serves,
  } = options;
  const api = options.api ?? (await FakeDiscord.start());
  for (const [name, value] of Object.entries({ SERVICE_ALLOW_INSECURE_LOOPBACK: "1", ...env }))
    vi.stubEnv(name, value);
  const host = await startTestHost({
    ...options,
    plugins: [...plugins, net, discord],
    config: {
      channels: {
        discord: { bot_token: token, allowed_user_ids: [owner.id, member.id], owners: [owner.id], ...table },
      },
      endpoints: { discord_url: api.url },
      ...options.config,
    },
  }).finally(() => vi.unstubAllEnvs());
  if (serves) await host.serve();
  const connected = (): Promise<void> => api.until(() => api.gateway.open.length > 0);
  if (connects) await connected();
  return {
    host,
    api,
    say: (text, message) => sayTo(api, text, message),
    check: (name) => host.slot(Checks).get(name)!.run(AbortSignal.timeout(60_000)),
    connected,
    async [Symbol.asyncDispose]() {
      await host.stop();
      if (options.api === undefined) await api[Symbol.asyncDispose]();
    },
  };
}

/** The direct chat with a person. */
export function chatOf({ id }: { readonly id: string }): string {
  return `8${id.slice(1)}`;
}

/** `channel` and `guild` say where; the rest is the platform's message. */
export function sayTo(api: FakeDiscord, text: string, given: Params = {}): string {
  const { guild: server, channel, author = owner, ...message } = given;
  const place = channel ?? (server === undefined ? chatOf(author) : hall);
  const mentions = text.includes(named) ? [self] : [];
  return api.post(place, server, { author, content: text, mentions, ...message })["id"];
}

export const inGuild = { guild };
export const inThread = { guild, channel: thread };
