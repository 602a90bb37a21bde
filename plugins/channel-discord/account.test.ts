import { Channels, Store, textParts } from "@gantry/sdk";
import { createMemoryStore, fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { chatOf, owner, startDiscord, type TestDiscord } from "./discord.test-kit.ts";
import { FakeDiscord, self, token } from "./fake-discord.test-kit.ts";

const seen = (t: TestDiscord, words: string) => t.host.logs.filter(({ message }) => message.includes(words));

/** Resolves once the log holds these words. */
async function logged(t: TestDiscord, words: string): Promise<void> {
  await expect.poll(() => seen(t, words).length).toBeGreaterThan(0);
}

test("CC-10: a token that was reset is said once, with the cure, in log, status and doctor; no session is begun", async () => {
  await using api = await FakeDiscord.start();
  api.revoked = true;
  await using t = await startDiscord({ api, connects: false });
  await logged(t, "API error: 401");
  const message = { to: { channel: chatOf(owner) }, parts: textParts("x"), key: "x" };
  const sent = await t.host.slot(Channels).get("discord")!.send(message, AbortSignal.timeout(60_000));
  expect(sent).toMatchObject({ status: "retry", scope: "channel" });
  expect(seen(t, "API error: 401")).toMatchObject([
    { level: "error", message: expect.stringContaining("take a new one from the page Bot") },
  ]);
  for (const name of ["discord-status", "discord-doctor", "discord"])
    expect(await t.check(name)).toContainEqual(
      expect.objectContaining({ state: "fail", detail: expect.stringContaining("API error: 401") }),
    );
  expect(api.gateway.connections).toBe(0);
});

test.each([
  ["123456789012345678", "this is an id"],
  ["a".repeat(64), "the application's public key"],
  ["abcdefghijklmnopqrstuvwxyz012345", "the application's client secret"],
  [`Bot ${token}`, "leave out the word Bot"],
  ["https://discord.com/api/webhooks/1/x", "the address of a webhook"],
  ["123456789:AAtokenofthetestsABCDEFGHIJKLMNOPQRS", "another form"],
])("CC-10: a wrong kind of token (%s) is named, and never sent to the platform", async (bot_token, kind) => {
  await using t = await startDiscord({ table: { bot_token }, connects: false });
  await logged(t, "is no bot token");
  expect(seen(t, "is no bot token")[0]?.message).toContain(kind);
  expect(t.api.calls).toEqual([]);
  expect(await t.check("discord-status")).toContainEqual(
    expect.objectContaining({
      what: "discord account",
      state: "fail",
      detail: expect.stringContaining(kind),
    }),
  );
  expect(await t.check("discord")).toContainEqual(
    expect.objectContaining({ what: "discord", state: "fail" }),
  );
});

test("CHN-02: the token may come from SERVICE_DISCORD_BOT_TOKEN; with none the start says what is missing", async () => {
  await using t = await startDiscord({
    table: { bot_token: "nonsense" },
    env: { SERVICE_DISCORD_BOT_TOKEN: token },
  });
  t.say("hi");
  await t.api.sent(1);
  await expect(startDiscord({ table: { bot_token: undefined } })).rejects.toMatchObject({
    code: "CHANNEL_MISSING",
    message: expect.stringContaining("SERVICE_DISCORD_BOT_TOKEN"),
  });
});

test("CC-10: channel doctor tells the bot, a bot that is in no server with the address that invites it, and a missing intent", async () => {
  await using api = await FakeDiscord.start();
  await using t = await startDiscord({ api, serves: false });
  const alone = await t.check("discord");
  expect(alone).toContainEqual({ what: "discord", state: "ok", detail: "the platform knows the bot gantry" });
  expect(alone).toContainEqual(
    expect.objectContaining({
      what: "discord servers",
      cure: expect.stringContaining(`authorize?client_id=${self.id}&scope=bot&permissions=274878008320`),
    }),
  );
  api.guilds.push({ id: "900000000000000001", name: "Team" });
  api.mayReadWords = false;
  const rows = await t.check("discord");
  expect(rows.map(({ what }) => what)).toEqual(["discord", "discord intents", "discord connection"]);
  await using direct = await startDiscord({ api, serves: false, table: { groups: "off" } });
  expect((await direct.check("discord")).map(({ what }) => what)).toEqual(["discord", "discord connection"]);
});

test("CC-11: the token is in no log, error, audit record, status or answer", async () => {
  await using t = await startDiscord({ connects: false });
  const channel = t.host.slot(Channels).get("discord")!;
  t.api.failures.push({ what: /^POST/, status: 400, message: `no ${token}` }, { what: /^POST/, how: "cut" });
  const message = { to: { channel: chatOf(owner) }, parts: textParts("x"), key: "k" };
  const sent = [
    await channel.send(message, AbortSignal.timeout(60_000)),
    await channel.send(message, AbortSignal.timeout(60_000)),
  ];
  await t.api[Symbol.asyncDispose]();
  sent.push(await channel.send(message, AbortSignal.timeout(60_000)));
  const rows = [...(await t.check("discord")), ...(await t.check("discord-status"))];
  const values = t.host.slot(Store).values;
  const kept = [
    await values.list("channel.health", { limit: 99 }),
    await values.list("discord.session", { limit: 99 }),
  ];
  const everything = JSON.stringify([sent, rows, t.host.logs, t.host.audit, kept]);
  expect(everything).toContain("127.0.0.1");
  expect(everything).not.toContain(token.split(".")[2]);
});

test("CC-19: HTTPS_PROXY carries REST and the gateway: a proxy on loopback sees both hosts and nothing of what is said", async () => {
  const hosts = new Set<string>();
  await using api = await FakeDiscord.start();
  const proxy = createServer();
  proxy.on("connect", (request, socket, head) => {
    const { url = "" } = request;
    hosts.add(url);
    // REST goes through in the clear for this test; what begins with TLS ends here.
    const through = connect(Number(new URL(api.url).port), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      through.write(head);
      through.pipe(socket).pipe(through);
    });
    through.on("error", () => socket.destroy());
    socket.on("error", () => through.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const store = createMemoryStore();
  const session = { id: "old", url: "wss://gateway.discord.test", seq: 1, caughtUp: true };
  await store.values.put("discord.session", self.id, session);
  process.env["HTTPS_PROXY"] = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  process.env["NO_PROXY"] = "127.0.0.1";
  try {
    await using t = await startDiscord({
      api,
      plugins: [memoryStore(store), fakeProvider(["x"])],
      connects: false,
    });
    await logged(t, "not connected");
    await using away = await startDiscord({
      api,
      serves: false,
      config: { endpoints: { discord_url: "https://discord.test/api/v10" } },
    });
    const message = { to: { channel: chatOf(owner) }, parts: textParts("x"), key: "x" };
    await away.host.slot(Channels).get("discord")!.send(message, AbortSignal.timeout(60_000));
    expect(hosts).toEqual(new Set(["gateway.discord.test:443", "discord.test:443"]));
  } finally {
    delete process.env["HTTPS_PROXY"];
    delete process.env["NO_PROXY"];
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  }
});

test("CC-10: to an address that is neither https nor this machine nothing is sent, and status says so", async () => {
  await using t = await startDiscord({ serves: false, env: { SERVICE_ALLOW_INSECURE_LOOPBACK: "" } });
  const message = { to: { channel: chatOf(owner) }, parts: textParts("x"), key: "x" };
  expect(
    await t.host.slot(Channels).get("discord")!.send(message, AbortSignal.timeout(60_000)),
  ).toMatchObject({ status: "retry", scope: "channel", reason: expect.stringContaining("discord_url") });
  expect(t.api.calls).toEqual([]);
  expect(await t.check("discord-doctor")).toContainEqual(
    expect.objectContaining({ what: "discord account", state: "fail" }),
  );
});

test("CC-17: status of another process tells the connection and the age of the last event", async () => {
  const store = createMemoryStore();
  await using serving = await startDiscord({ plugins: [memoryStore(store), fakeProvider(["x"])] });
  serving.say("hi");
  await serving.api.sent(1);
  const { api } = serving;
  await using asking = await startDiscord({
    api,
    plugins: [memoryStore(store), fakeProvider(["x"])],
    serves: false,
  });
  expect(await asking.check("discord-status")).toContainEqual({
    what: "discord connection",
    state: "ok",
    detail: expect.stringMatching(/^connected for \d+ s; last event \d+ s ago$/),
  });
});
