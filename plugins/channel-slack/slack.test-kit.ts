import { startChannel, type ChannelOptions, type StartedChannel } from "../../test/helpers/channel.ts";
import { appToken, botToken, FakeSlack } from "./fake-slack.test-kit.ts";
import slack from "./index.ts";
import { visibleOf, type Params } from "./slack-limits.test-kit.ts";
import { botUser } from "./slack-workspace.test-kit.ts";

export const owner = "UADA00001";
export const member = "UBOB00002";
export const stranger = "UEVE00003";
export const group = "CTEAM0001";
export const named = `<@${botUser}>`;

/** The direct channel of the app with a person. */
export function directOf(user: string): string {
  return user.replace(/^U/, "D");
}

export interface SlackOptions extends ChannelOptions {
  readonly api?: FakeSlack;
}

export interface TestSlack extends StartedChannel, AsyncDisposable {
  readonly api: FakeSlack;
  /**
   * A message from the owner in a direct channel, unless told otherwise; gives its ts. Waits for a
   * connection.
   */
  say(text: string, message?: Params): Promise<string>;
}

/** A workspace with the people and places of the tests. */
export async function startWorkspace(port?: number): Promise<FakeSlack> {
  const api = await FakeSlack.start(port);
  for (const user of [owner, member, stranger]) api.channels.set(directOf(user), { isMember: true });
  api.channels.set(group, { isMember: true });
  api.names.set(owner, "Ada").set(member, "Bob").set(stranger, "Eve");
  return api;
}

/** The channel on the fake platform, over the real network. */
export async function startSlack(options: SlackOptions = {}): Promise<TestSlack> {
  const api = options.api ?? (await startWorkspace());
  const tokens = { bot_token: botToken, app_token: appToken };
  const own = { ...tokens, allowed_users: [owner, member], owners: [owner] };
  const config = { channels: { slack: { ...own, ...options.table } }, endpoints: { slack_url: api.url } };
  const started = await startChannel(slack, config, options);
  return {
    ...started,
    api,
    async say(text, message) {
      await api.until(() => api.socketMode.open > 0);
      return sayTo(api, text, message);
    },
    async [Symbol.asyncDispose]() {
      await started.host.stop();
      if (options.api === undefined) await api[Symbol.asyncDispose]();
    },
  };
}

export function sayTo(api: FakeSlack, text: string, given: Params = {}): string {
  const { user = owner, channel = directOf(user), ...message } = given;
  return api.say(channel, { user, text, ...message });
}

/** Returns what people read of a post. */
export function seenOf({ text, blocks, mrkdwn = true }: Params): string {
  if (blocks !== undefined) return visibleOf(blocks);
  const words = mrkdwn ? String(text).replace(/([*_~`])(\S(?:.*?\S)?)\1/g, "$2") : String(text);
  return words.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&");
}
