import { startChannel, type ChannelOptions, type StartedChannel } from "../../test/helpers/channel.ts";
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

export interface DiscordOptions extends ChannelOptions {
  readonly api?: FakeDiscord;
  /** False: it serves, and does not come as far as a session. */
  readonly connects?: boolean;
}

export interface TestDiscord extends StartedChannel, AsyncDisposable {
  readonly api: FakeDiscord;
  /**
   * A message from the owner in a direct chat, unless told otherwise; gives the platform's id of
   * it.
   */
  say(text: string, message?: Params): string;
  /** Resolves once a session is at the gateway. */
  connected(): Promise<void>;
}

/** The channel on the fake platform, over the real network. */
export async function startDiscord(options: DiscordOptions = {}): Promise<TestDiscord> {
  const { table, serves = true, connects = serves } = options;
  const api = options.api ?? (await FakeDiscord.start());
  const own = { bot_token: token, allowed_user_ids: [owner.id, member.id], owners: [owner.id] };
  const config = { channels: { discord: { ...own, ...table } }, endpoints: { discord_url: api.url } };
  const started = await startChannel(discord, config, options);
  const connected = (): Promise<void> => api.until(() => api.gateway.open.length > 0);
  if (connects) await connected();
  return {
    ...started,
    api,
    say: (text, message) => sayTo(api, text, message),
    connected,
    async [Symbol.asyncDispose]() {
      await started.host.stop();
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
