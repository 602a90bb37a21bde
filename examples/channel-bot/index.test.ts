import {
  askingTool,
  bundledPlugin,
  channelPlatformContract,
  checkPlugin,
  fakeProvider,
  memoryStore,
  startTestHost,
  type TestPlatform,
} from "@gantry/sdk/testing";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { FakePlatform, group, token } from "./fake-platform.test-kit.ts";
import plugin from "./index.ts";

const net = await bundledPlugin("net-undici");
const people = { owner: "111", member: "222", stranger: "333", bot: "444" };

beforeAll(() => void vi.stubEnv("SERVICE_ALLOW_INSECURE_LOOPBACK", "1"));
afterAll(() => void vi.unstubAllEnvs());

function platformOn(server: FakePlatform): TestPlatform {
  let count = 0;
  let last: (() => void) | undefined;
  return {
    async write({ from, text, place = "direct", thread, mention = false, twice = false }) {
      const message = {
        message_id: (count += 1),
        date: 1,
        from: { id: Number(from), is_bot: from === people.bot, first_name: "Somebody" },
        chat: place === "group" ? { id: group, type: "supergroup" } : { id: Number(from), type: "private" },
        text: mention ? `@gantry_bot ${text}` : text,
        ...(thread !== undefined && { message_thread_id: Number(thread) }),
      };
      last = () => void server.push({ message });
      for (let times = twice ? 2 : 1; times > 0; times -= 1) last();
    },
    again: async () => last?.(),
    told: () => server.told(),
    taken: () => server.confirmed,
    failNext: (ending) => void server.failures.push(ending),
    async press(label, from) {
      const asked = server.sent.findLast(({ reply_markup }) => reply_markup !== undefined);
      const buttons = asked?.reply_markup?.inline_keyboard.flat() ?? [];
      const data = buttons.find(({ text }) => text === label)?.callback_data;
      const message = { message_id: 1, chat: { id: asked?.chat_id, type: "private" } };
      const id = `press-${(count += 1)}`;
      server.push({ callback_query: { id, from: { id: Number(from) }, data, message } });
      await server.until(() => server.notices.has(id));
      return server.notices.get(id) ?? "";
    },
    typing: () => server.typed,
    close: () => server[Symbol.asyncDispose](),
  };
}

function configOf({ url }: FakePlatform) {
  const allowed_users = [people.owner, people.member, people.bot];
  const table = { api_url: url, bot_token: token, allowed_users, owners: [people.owner] };
  return { plugins_config: { "channel-bot": table } };
}

const cases = channelPlatformContract({
  channel: "bot",
  people,
  to: { chat: 111 },
  secrets: [token],
  groups: true,
  threads: true,
  buttons: true,
  repeats: true,
  async open() {
    const server = await FakePlatform.start();
    return { platform: platformOn(server), plugins: [net, plugin], config: configOf(server) };
  },
});

test.each(cases)("CHN-05: on a platform of bots, $name", async ({ run }) => {
  await expect(run()).resolves.toBeUndefined();
});

test("SEC-18: the question in a topic has buttons, and the owner's press takes them away and says what was decided", async () => {
  await using server = await FakePlatform.start();
  const platform = platformOn(server);
  const tool = askingTool();
  const model = fakeProvider([{ calls: [{ name: tool.toolName, args: {} }] }, "done"]);
  const plugins = [plugin, net, memoryStore(), model, tool.plugin];
  await using t = await startTestHost({ plugins, config: configOf(server) });
  await t.serve();
  await platform.write({ from: people.owner, text: "go", place: "group", thread: "5", mention: true });
  await server.until(() => server.sent.length === 1);
  const buttons = ["Allow", "Always, in this conversation", "Deny"];
  expect(server.told()).toMatchObject([{ place: "group", thread: "5", buttons }]);
  const [allow] = server.sent[0]?.reply_markup?.inline_keyboard.flat() ?? [];
  const message = { message_id: 1, chat: { id: group, type: "supergroup" }, message_thread_id: 5 };
  for (const [id, from] of [
    ["a member's", 222],
    ["the owner's", 111],
  ])
    server.push({ callback_query: { id, from: { id: from }, data: allow?.callback_data, message } });
  await server.until(() => server.sent.length === 2 && server.notices.size === 2);
  expect(server.notices.get("a member's")).toContain("Only an owner");
  expect(server.notices.get("the owner's")).toBe("Allowed.");
  expect(server.settled).toEqual([expect.stringContaining("\u2714 Allowed.")]);
  expect([tool.runs(), server.told()[1]]).toEqual([1, { text: "done", place: "group", thread: "5" }]);
  expect(server.typed).toBeGreaterThan(0);
});

test("SDK-05: the channel keeps the contract of its kind", async () => {
  await using server = await FakePlatform.start();
  const checked = await checkPlugin({ plugin, with: [net, memoryStore()], config: configOf(server) });
  expect(checked.findings).toEqual([]);
});
