import { Client } from "@discordjs/core";
import { DiscordAPIError, REST } from "@discordjs/rest";
import { WebSocketManager, WebSocketShardEvents } from "@discordjs/ws";
import { expect, test } from "vitest";
import { chatOf, hall, inGuild, owner, sayTo, stranger } from "./discord.test-kit.ts";
import { FakeDiscord, self, token } from "./fake-discord.test-kit.ts";

const intents = (1 << 9) | (1 << 12) | (1 << 15);

/**
 * A bot of the clients that people use, on our platform: what works here works as it does at the
 * real one.
 */
function discordjs(api: FakeDiscord, secret: string = token, wanted: number = intents) {
  const rest = new REST({ api: api.url, version: "", retries: 0, timeout: 5_000 });
  rest.options.version = "";
  rest.setToken(secret);
  // Our address is the one of the real platform with its version.
  const request = rest.options.makeRequest;
  rest.options.makeRequest = (url, init) => request(url.replace(`${api.url}/v`, api.url), init);
  const gateway = new WebSocketManager({ token: secret, intents: wanted, rest });
  return { rest, gateway, client: new Client({ rest, gateway }) };
}

const failureOf = (call: Promise<unknown>): Promise<DiscordAPIError> =>
  call.then(
    () => Promise.reject(new Error("it worked")),
    (error: DiscordAPIError) => error,
  );

test("CHN-05: the fake platform is one to a well-kept client: handshake, heartbeats, messages, answers, buttons", async () => {
  await using api = await FakeDiscord.start();
  api.gateway.heartbeatMs = 100;
  const { client, gateway } = discordjs(api);
  const seen: string[] = [];
  client.on("MESSAGE_CREATE", async ({ data, api: call }) => {
    if (data.author.id === self.id) return;
    seen.push(`${data.guild_id ?? "direct"} ${data.content}`);
    await call.channels.createMessage(data.channel_id, {
      content: "really?",
      message_reference: { message_id: data.id },
      components: [{ type: 1, components: [{ type: 2, style: 3, label: "Yes", custom_id: "yes" }] }],
    });
  });
  client.on("INTERACTION_CREATE", async ({ data, api: call }) => {
    seen.push(`pressed ${(data.data as { custom_id: string }).custom_id}`);
    await call.interactions.deferMessageUpdate(data.id, data.token);
    await call.interactions.followUp(data.application_id, data.token, { content: "thanks", flags: 64 });
  });
  const ready = new Promise((resolve) => client.once("READY", resolve));
  await gateway.connect();
  await ready;
  sayTo(api, "hello");
  sayTo(api, "here", inGuild);
  const [first] = await api.sent(2);
  api.press({
    channel_id: chatOf(owner),
    user: owner,
    message: { id: first?.["id"] },
    data: { custom_id: "yes" },
  });
  await api.until(() => api.notices.length === 1);
  await api.until(() => api.gateway.beats.length > 2);
  await gateway.destroy();
  expect(seen).toEqual(["direct hello", "900000000000000001 here", "pressed yes"]);
  expect([api.notices, api.gateway.identified.length]).toEqual([["thanks"], 1]);
});

test("CHN-05: a session of the fake platform is gone on with after a cut, with what came meanwhile, and after op 7", async () => {
  await using api = await FakeDiscord.start();
  const { client, gateway } = discordjs(api);
  const seen: string[] = [];
  client.on("MESSAGE_CREATE", ({ data }) => void seen.push(data.content));
  const ready = new Promise((resolve) => client.once("READY", resolve));
  await gateway.connect();
  await ready;
  const resumed = (): Promise<unknown> =>
    new Promise((resolve) => gateway.once(WebSocketShardEvents.Resumed, resolve));
  const first = resumed();
  api.gateway.ask(7);
  sayTo(api, "one");
  await first;
  const second = resumed();
  api.gateway.drop(4_000);
  sayTo(api, "two");
  await second;
  await gateway.destroy();
  expect(seen).toEqual(["one", "two"]);
  expect([api.gateway.identified.length, api.gateway.resumed.length]).toEqual([1, 2]);
});

test("CHN-05: the fake platform refuses in the words that the client reads", async () => {
  await using api = await FakeDiscord.start();
  const { client, rest } = discordjs(api);
  sayTo(api, "x", inGuild);
  sayTo(api, "x");
  const say = (body: object) => client.api.channels.createMessage(hall, body);
  const codes = async (...calls: readonly Promise<unknown>[]) =>
    Promise.all(calls.map(async (call) => (await failureOf(call)).code));
  const button = { type: 2, style: 1, label: "a", custom_id: "x".repeat(101) };
  expect(
    await codes(
      say({ content: "x".repeat(2_001) }),
      say({ content: "  " }),
      say({ content: "x", nonce: "x".repeat(26) }),
      say({ content: "x", components: [{ type: 1, components: [button] }] }),
      say({ content: "x", message_reference: { message_id: 5 } }),
      say({ content: "x", allowed_mentions: { parse: ["all"] } }),
      client.api.channels.createMessage("810000000000000000", { content: "x" }),
      client.api.channels.editMessage(hall, "910000000000000009", { content: "x" }),
      client.api.interactions.deferMessageUpdate("910000000000000009", "none"),
    ),
  ).toEqual([50_035, 50_006, 50_035, 50_035, 50_035, 50_035, 10_003, 10_008, 10_062]);
  expect(await failureOf(discordjs(api, "wrong.token.x").rest.get("/users/@me"))).toMatchObject({
    status: 401,
  });
  const once = { content: "@everyone <@333333333333333333>", nonce: "same", enforce_nonce: true };
  const [one, two] = [await say(once), await say(once)];
  expect([one.id === two.id, api.pings.length, stranger.id]).toEqual([true, 2, "333333333333333333"]);
  api.limit = { count: 1, ms: 300 };
  const limited: unknown[] = [];
  rest.on("rateLimited", (info) => void limited.push(info));
  await Promise.all([say({ content: "a" }), say({ content: "b" })]);
  expect(limited).toHaveLength(1);
});

test.each([
  [4_004, "wrong.token.x", intents, true],
  [4_014, token, intents, false],
  [4_013, token, 1 << 30, true],
])(
  "CHN-05: the fake gateway closes with %i as the client expects, which gives up then",
  async (code, secret, wanted, isOn) => {
    await using api = await FakeDiscord.start();
    api.mayReadWords = isOn;
    const { gateway } = discordjs(api, secret, wanted);
    // The client asks REST for the address with the token first.
    gateway.fetchGatewayInformation = async () => ({
      url: api.gatewayUrl,
      shards: 1,
      session_start_limit: { ...api.gateway.starts, max_concurrency: 1 },
    });
    const failed = new Promise<Error>((resolve) =>
      gateway.once(WebSocketShardEvents.Error, (error) => resolve(error)),
    );
    const closed = new Promise<void>((resolve) =>
      gateway.on(WebSocketShardEvents.Closed, (told) => told === code && resolve()),
    );
    await gateway.connect().catch(() => {});
    await closed;
    expect((await failed).message).not.toBe("");
    await gateway.destroy();
    expect(api.gateway.sessions.size).toBe(0);
  },
);
