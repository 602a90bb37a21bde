import {
  bundledPlugin,
  channelPlatformContract,
  checkPlugin,
  fakeProvider,
  memoryStore,
  startTestHost,
} from "@gantry/sdk/testing";
import type { SendingEnds, TestPlatform } from "@gantry/sdk/testing";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { FakeHomeserver, me, room, token } from "./fake-homeserver.test-kit.ts";
import plugin from "./index.ts";

const net = await bundledPlugin("net-undici");
const people = { owner: "@ada:example.org", member: "@bob:example.org", stranger: "@eve:example.org" };
const bot = "@robot:example.org";

beforeAll(() => void vi.stubEnv("SERVICE_ALLOW_INSECURE_LOOPBACK", "1"));
afterAll(() => void vi.unstubAllEnvs());

const failures = {
  account: { status: 401, body: { errcode: "M_UNKNOWN_TOKEN", error: "Unknown token" } },
  form: { status: 400, body: { errcode: "M_BAD_JSON", error: "Bad formatted_body" } },
};

function failureOf(ending: SendingEnds) {
  if (ending.how !== "rate") return failures[ending.how];
  return { status: 429, body: { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: ending.afterMs } };
}

function platformOn(server: FakeHomeserver): TestPlatform {
  let count = 0;
  let last: (() => void) | undefined;
  return {
    async write({ from, text, place = "direct", thread, mention = false, twice = false }) {
      await server.listened();
      const event = {
        type: "m.room.message",
        event_id: `$event-${(count += 1)}`,
        sender: from,
        content: {
          msgtype: from === bot ? "m.notice" : "m.text",
          body: text,
          ...(mention && { "m.mentions": { user_ids: [me] } }),
          ...(thread !== undefined && { "m.relates_to": { rel_type: "m.thread", event_id: thread } }),
        },
      };
      last = () => server.push(place === "group" ? room : `!${from}`, event);
      last();
      if (twice) last();
    },
    again: async () => last?.(),
    told: () =>
      server.sent.map(({ room: at, content }) => ({
        text: content.body,
        ...(at === room ? { place: "group" } : { place: "direct", to: at.slice(1) }),
        ...(content["m.relates_to"] && { thread: content["m.relates_to"].event_id }),
      })),
    taken: () => server.confirmed,
    failNext: (ending) => void server.failures.push(failureOf(ending)),
    close: async () => server[Symbol.asyncDispose](),
  };
}

function configOf(server: FakeHomeserver, table: object = {}) {
  const { owner, member } = people;
  const own = { homeserver: server.url, access_token: token, allowed_users: [owner, member, bot, me] };
  return { plugins_config: { "channel-matrix": { ...own, owners: [owner], ...table } } };
}

const cases = channelPlatformContract({
  channel: "matrix",
  people: { ...people, bot, self: me },
  to: { room: `!${people.owner}` },
  secrets: [token],
  groups: true,
  threads: true,
  repeats: true,
  async open() {
    const server = await FakeHomeserver.start();
    return { platform: platformOn(server), plugins: [net, plugin], config: configOf(server) };
  },
});

test.each(cases)("CHN-06: CHN-05: $name", async ({ run }) => {
  await expect(run()).resolves.toBeUndefined();
});

test("CHN-06: the channel keeps the contract of its kind", async () => {
  await using server = await FakeHomeserver.start();
  const table = configOf(server).plugins_config["channel-matrix"];
  const { findings } = await checkPlugin({
    plugin,
    with: [net, memoryStore()],
    config: { plugins_config: { "channel-matrix": table } },
  });
  expect(findings).toEqual([]);
});

test("CHN-06: it joins a room that somebody who may write asks it into, and no other", async () => {
  await using server = await FakeHomeserver.start();
  await using t = await startTestHost({
    plugins: [plugin, net, memoryStore(), fakeProvider(["hello"])],
    config: configOf(server),
  });
  await t.serve();
  await server.listened();
  server.invite(`!${people.stranger}`);
  server.invite(`!${people.owner}`);
  await server.until(() => server.joined.length > 0);
  expect(server.joined).toEqual([`!${people.owner}`]);
});

test("CHN-06: a revoked token is said once with the cure", async () => {
  await using server = await FakeHomeserver.start();
  server.isRevoked = true;
  await using t = await startTestHost({
    plugins: [plugin, net, memoryStore(), fakeProvider(["hello"])],
    config: configOf(server),
  });
  await t.serve();
  await expect.poll(() => t.logs.some(({ level }) => level === "error")).toBe(true);
  const said = t.logs.filter(({ level }) => level === "error").map(({ message }) => message);
  expect(said).toEqual([
    "API error: 401 (M_UNKNOWN_TOKEN Unknown ***): the access token is wrong or was revoked; set a new one.",
  ]);
});
