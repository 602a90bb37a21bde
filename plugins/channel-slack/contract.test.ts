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
import { appToken, botToken, type FakeSlack, type Failure } from "./fake-slack.test-kit.ts";
import slack from "./index.ts";
import type { Params } from "./slack-limits.test-kit.ts";
import {
  directOf,
  group,
  member,
  named,
  owner,
  sayTo,
  seenOf,
  startWorkspace,
  stranger,
} from "./slack.test-kit.ts";

beforeAll(() => void vi.stubEnv("SERVICE_ALLOW_INSECURE_LOOPBACK", "1"));
afterAll(() => void vi.unstubAllEnvs());

function failureOf(ending: SendingEnds): Failure {
  if (ending.how === "rate") return { error: "ratelimited", retryAfter: ending.afterMs / 1_000 };
  return { error: ending.how === "account" ? "invalid_auth" : "invalid_blocks" };
}

/** The threads of the contract by the messages that they hang on. */
function threadsOf(api: FakeSlack): Map<string, string> {
  return new Map(["1", "2"].map((name) => [name, api.ts()]));
}

function buttonsOf({ blocks = [] }: Params): readonly Params[] {
  return blocks.flatMap((block: Params) => (block["type"] === "actions" ? block["elements"] : []));
}

/** The fake platform as the contract drives it. */
function platformOn(api: FakeSlack): TestPlatform {
  const threads = threadsOf(api);
  const sent = () => api.of("chat.postMessage").filter(({ refused }) => !refused);
  const toldOf = (params: Params): Told => {
    const { channel, thread_ts } = params;
    const thread = [...threads].find(([, ts]) => ts === thread_ts)?.[0];
    const buttons = buttonsOf(params).map(({ text }) => String(text.text));
    return {
      text: seenOf(params),
      place: channel === group ? "group" : "direct",
      ...(thread !== undefined && { thread }),
      ...(buttons.length > 0 && { buttons }),
    };
  };
  return {
    async write({ from, text, place = "direct", thread, mention = false, twice = false }: Writing) {
      await api.until(() => api.socketMode.open > 0);
      const message = {
        user: from,
        ts: api.ts(),
        ...(place === "group" && { channel: group }),
        ...(thread !== undefined && { thread_ts: threads.get(thread) }),
      };
      for (let times = twice ? 2 : 1; times > 0; times -= 1)
        sayTo(api, mention ? `${named} ${text}` : text, message);
    },
    told: () => sent().map(({ params }) => toldOf(params)),
    taken: () => api.socketMode.acknowledged.length,
    failNext: (ending) => void api.failures.push({ method: "chat.postMessage", ...failureOf(ending) }),
    async press(label, from) {
      const { channel } = sent().findLast(({ params }) => buttonsOf(params).length > 0)?.params ?? {};
      const asked = api.messages
        .get(channel)
        ?.findLast(({ user, text }) => user === "UBOT00001" && /May /.test(text));
      const told = () => api.of("chat.postEphemeral").length + api.of("chat.update").length;
      const before = told();
      const question = sent().findLast(({ params }) => buttonsOf(params).length > 0)?.params ?? {};
      const value = buttonsOf(question).find(({ text }) => text.text === label)?.["value"];
      api.press(from, channel, asked ?? {}, value);
      await api.until(() => told() > before);
      return String(api.calls.findLast(({ method }) => /Ephemeral|update/.test(method))?.params["text"]);
    },
    typing: () => api.of("reactions.add").length + api.of("assistant.threads.setStatus").length,
    close: () => api[Symbol.asyncDispose](),
  };
}

const subject: ChannelPlatformSubject = {
  channel: "slack",
  people: { owner, member, stranger },
  to: { channel: directOf(owner) },
  secrets: [botToken, appToken],
  groups: true,
  threads: true,
  buttons: true,
  framed: true,
  async open(keys = {}) {
    const api = await startWorkspace();
    api.socketMode.ackMs = 1_000;
    const tokens = { bot_token: botToken, app_token: appToken };
    const table = { ...tokens, allowed_users: [owner, member], owners: [owner] };
    const config = { channels: { slack: { ...table, ...keys } }, endpoints: { slack_url: api.url } };
    return { platform: platformOn(api), plugins: [net, slack], config };
  },
};
const cases = channelPlatformContract(subject);

test.each(cases)("CHN-05: channel-slack: $name", async ({ run }) => {
  await expect(run()).resolves.toBeUndefined();
});

test("SEC-19: channel-slack: whatever would run, the question about it is read sign by sign", async () => {
  await expect(questionsAreRead(subject)).resolves.toBeUndefined();
});
