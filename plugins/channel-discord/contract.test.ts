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
import type { Params } from "./discord-limits.test-kit.ts";
import { chatOf, guild, hall, member, named, owner, sayTo, stranger } from "./discord.test-kit.ts";
import { FakeDiscord, token, type Failure } from "./fake-discord.test-kit.ts";
import discord from "./index.ts";
import { shownText } from "./shown-text.test-kit.ts";

const people = new Map([owner, member, stranger].map((person) => [person.id, person]));
const messages = /^POST \/channels\/\d+\/messages$/;

beforeAll(() => void vi.stubEnv("SERVICE_ALLOW_INSECURE_LOOPBACK", "1"));
afterAll(() => void vi.unstubAllEnvs());

function failureOf(ending: SendingEnds): Failure {
  if (ending.how === "rate") {
    const body = { retry_after: ending.afterMs / 1_000, global: false };
    return { status: 429, message: "You are being rate limited.", body };
  }
  if (ending.how === "account") return { status: 401, message: "401: Unauthorized" };
  return { status: 400, code: 50_035, message: "Invalid Form Body" };
}

/** A thread of the hall. */
function threadOf(name: string): string {
  return `92000000000000000${name}`;
}

function toldOf({ channel_id, guild_id, content, components = [] }: Params): Told {
  const buttons: readonly Params[] = components.flatMap((row: Params) => row["components"]);
  const isThread = guild_id !== undefined && channel_id !== hall;
  return {
    text: shownText(content),
    place: guild_id === undefined ? "direct" : "group",
    ...(isThread && { thread: channel_id.slice(-1) }),
    ...(buttons.length > 0 && { buttons: buttons.map(({ label }) => label) }),
  };
}

/** Messages that people wrote, which no session is handed out again. */
function takenOf({ gateway }: FakeDiscord): number {
  return Math.max(
    0,
    ...[...gateway.sessions.values()].map(
      ({ events, confirmed }) =>
        events.filter(
          ({ seq, type, data }) => seq <= confirmed && type === "MESSAGE_CREATE" && !data["author"].bot,
        ).length,
    ),
  );
}

/** The fake platform as the contract drives it. */
function platformOn(api: FakeDiscord): TestPlatform {
  return {
    async write({ from, text, place = "direct", thread, mention = false, twice = false }: Writing) {
      // A bot that has said how far it is goes on with this session after a restart.
      await api.until(() => api.gateway.open.some(({ confirmed }) => confirmed > 0));
      const author = people.get(from);
      const where = thread === undefined ? {} : { channel: threadOf(thread) };
      const given = { author, ...(place === "group" && { guild, ...where }) };
      const id = sayTo(api, mention ? `${named} ${text}` : text, given);
      const again = [...api.channels.values()]
        .flatMap((channel) => channel.messages)
        .find((one) => one["id"] === id);
      if (twice) api.gateway.dispatch("MESSAGE_CREATE", again as Params);
    },
    told: () => api.said().map(toldOf),
    taken: () => takenOf(api),
    failNext: (ending) => void api.failures.push({ what: messages, ...failureOf(ending) }),
    async press(label, from) {
      const asked = api.said().findLast(({ components }) => components !== undefined);
      // The buttons as they were sent: a press of one may come late.
      const posted = api.of(messages).findLast(({ body }) => body["components"] !== undefined);
      const buttons: readonly Params[] =
        posted?.body["components"].flatMap((row: Params) => row["components"]) ?? [];
      const custom_id = buttons.find((button) => button["label"] === label)?.["custom_id"];
      const count = api.notices.length;
      api.press({
        channel_id: asked?.["channel_id"],
        user: people.get(from),
        message: { id: asked?.["id"] },
        data: { custom_id, component_type: 2 },
      });
      await api.until(() => api.notices.length > count);
      return api.notices.at(-1) ?? "";
    },
    typing: () => api.of(/typing$/).length,
    close: () => api[Symbol.asyncDispose](),
  };
}

const subject: ChannelPlatformSubject = {
  channel: "discord",
  people: { owner: owner.id, member: member.id, stranger: stranger.id },
  to: { channel: chatOf(owner) },
  secrets: [token, token.split(".")[2] as string],
  groups: true,
  threads: true,
  buttons: true,
  framed: true,
  async open(keys = {}) {
    const api = await FakeDiscord.start();
    api.gateway.heartbeatMs = 50;
    api.channels.set(chatOf(owner), { id: chatOf(owner), messages: [] });
    const table = { bot_token: token, allowed_user_ids: [owner.id, member.id], owners: [owner.id] };
    const config = { channels: { discord: { ...table, ...keys } }, endpoints: { discord_url: api.url } };
    return { platform: platformOn(api), plugins: [net, discord], config };
  },
};
const cases = channelPlatformContract(subject);

test.each(cases)("CHN-05: channel-discord: $name", async ({ run }) => {
  await expect(run()).resolves.toBeUndefined();
});

test("SEC-19: channel-discord: whatever would run, the question about it is read sign by sign", async () => {
  await expect(questionsAreRead(subject)).resolves.toBeUndefined();
});
