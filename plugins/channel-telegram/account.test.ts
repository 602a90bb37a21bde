import { Channels, Commands, Store, textOf, textParts } from "@gantry/sdk";
import { createMemoryStore, fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import gateway from "../gateway-http/index.ts";
import { FakeBotApi, token } from "./fake-bot-api.test-kit.ts";
import { owner, startTelegram, stranger, type TestTelegram } from "./telegram.test-kit.ts";

const seen = (t: TestTelegram, words: string) => t.host.logs.filter(({ message }) => message.includes(words));

/** Resolves once the log holds these words. */
async function logged(t: TestTelegram, words: string): Promise<void> {
  await expect.poll(() => seen(t, words).length).toBeGreaterThan(0);
}

test("CC-10: TG-13: a revoked token is said once, with the cure, in log, status and doctor; other channels go on", async () => {
  await using api = await FakeBotApi.start();
  api.revoked = true;
  await using t = await startTelegram({ api });
  await logged(t, "API error: 401");
  const sent = await t.host
    .slot(Channels)
    .get("telegram")!
    .send({ to: { chat: 1 }, parts: textParts("x"), key: "x" }, AbortSignal.timeout(60_000));
  expect(sent).toMatchObject({ status: "retry", scope: "channel" });
  expect(seen(t, "API error: 401")).toMatchObject([
    { level: "error", message: expect.stringContaining("@BotFather") },
  ]);
  for (const name of ["telegram-status", "telegram-doctor", "telegram"])
    expect(await t.check(name)).toContainEqual(
      expect.objectContaining({ state: "fail", detail: expect.stringContaining("API error: 401") }),
    );
});

test("FLR-09: a revoked token is a warning of GET /ready", async () => {
  await using api = await FakeBotApi.start();
  api.revoked = true;
  await using t = await startTelegram({ api });
  await expect
    .poll(() => t.check("telegram-hears"))
    .toMatchObject([
      { what: "channel:telegram", state: "warn", detail: expect.stringContaining("API error: 401") },
    ]);
});

test.skipIf(process.env["GANTRY_LONG"] === undefined)(
  "FLR-09: a token that is taken again brings the channel back by itself",
  async () => {
    await using api = await FakeBotApi.start();
    api.revoked = true;
    await using t = await startTelegram({ api });
    await logged(t, "API error: 401");
    api.revoked = false;
    t.say("hi");
    const [answer] = await api.sent(1);
    expect(answer).toMatchObject({ text: "hello there" });
    const hears = () => t.check("telegram-hears");
    await expect.poll(hears).toMatchObject([{ what: "channel:telegram", state: "ok" }]);
  },
);

test.each(["12345", "xoxb-12345-abcdef", "0123456789abcdef0123456789abcdef", "123456:short"])(
  "CC-10: a wrong kind of token (%s) is named, and never sent to the platform",
  async (bot_token) => {
    await using t = await startTelegram({ table: { bot_token } });
    await logged(t, "is no bot token");
    expect(t.api.calls).toEqual([]);
    expect(await t.check("telegram-status")).toContainEqual(
      expect.objectContaining({
        what: "telegram account",
        state: "fail",
        detail: expect.stringContaining("@BotFather"),
      }),
    );
    expect(await t.check("telegram")).toContainEqual(
      expect.objectContaining({ what: "telegram", state: "fail" }),
    );
  },
);

test("CHN-01: the token may come from SERVICE_TELEGRAM_BOT_TOKEN; with none the start says what is missing", async () => {
  await using t = await startTelegram({
    table: { bot_token: "nonsense" },
    env: { SERVICE_TELEGRAM_BOT_TOKEN: token },
  });
  t.say("hi");
  await t.api.sent(1);
  await expect(startTelegram({ table: { bot_token: undefined } })).rejects.toMatchObject({
    code: "CHANNEL_MISSING",
    message: expect.stringContaining("SERVICE_TELEGRAM_BOT_TOKEN"),
  });
});

test("TG-05: two programs on one token: the second is told so, waits at least 5 s, and channel doctor names it", async () => {
  await using t = await startTelegram();
  await t.api.until(() => t.api.of("getUpdates").length === 1);
  const other = fetch(`${t.api.url}/bot${token}/getUpdates`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ timeout: 1 }),
  });
  await logged(t, "another program polls with this bot token");
  const before = t.api.of("getUpdates").length;
  expect((await other).status).toBe(200);
  expect(t.api.of("getUpdates")).toHaveLength(before);
  expect(await t.check("telegram")).toContainEqual(
    expect.objectContaining({
      what: "telegram connection",
      detail: expect.stringContaining("another program polls"),
    }),
  );
});

test("TG-05: a webhook that takes the updates is named with its host, and not removed", async () => {
  await using api = await FakeBotApi.start();
  api.webhook = "https://hooks.example/secret-path";
  await using t = await startTelegram({ api });
  await logged(t, "a webhook is set for this bot, at hooks.example");
  expect(await t.check("telegram")).toContainEqual(
    expect.objectContaining({
      what: "telegram webhook",
      state: "fail",
      cure: expect.stringContaining("deleteWebhook"),
    }),
  );
  expect(JSON.stringify([t.host.logs, await t.check("telegram")])).not.toContain("secret-path");
  expect(api.of("deleteWebhook")).toEqual([]);
});

test("CHN-01: pairing_enabled: a code of `gantry pair new` in a direct chat lets a member in, never an owner, until shut out", async () => {
  const words = fakeProvider([({ messages }) => textOf(messages.at(-1)?.parts ?? [])]);
  await using t = await startTelegram({
    plugins: [memoryStore(), words, gateway],
    table: { pairing_enabled: true, allowed_user_ids: [owner.id], owners: [owner.id] },
    config: { gateway: { port: 0 } },
    serves: false,
  });
  await t.host.serve(["telegram"]);
  const word = async (name: string, ...args: readonly string[]): Promise<string> => {
    let text = "";
    const out = (line: string): void => void (text += `${line}\n`);
    const run = {
      args,
      options: {},
      out,
      err: () => {},
      interactive: false,
      signal: new AbortController().signal,
      serve: async () => 0,
    };
    await t.host.slot(Commands).get(name)!.run(run);
    return text.trim();
  };
  t.say("123456789012", { from: stranger });
  expect((await t.api.sent(1))[0]?.["text"]).toContain("not valid");
  t.say(await word("pair new"), { from: stranger });
  expect((await t.api.sent(2))[1]).toMatchObject({
    chat_id: stranger.id,
    text: expect.stringContaining("paired"),
  });
  t.say("am I in?", { from: stranger });
  expect((await t.api.sent(3))[2]?.["text"]).toBe("am I in?");
  expect(await word("telegram people")).toMatch(/^333 .*Eve$/);
  await word("telegram unpair", "333");
  t.say("and now?", { from: stranger });
  t.say("still here", { from: owner });
  expect((await t.api.sent(4)).at(-1)).toMatchObject({ chat_id: owner.id });
  const events = t.host.audit
    .filter(({ event_type }) => event_type === "pairing")
    .map(({ result, user }) => [result, user]);
  expect(events.filter(([, user]) => user === "telegram:333")).toEqual([
    ["refused: PAIR_CODE_INVALID", "telegram:333"],
    ["paired", "telegram:333"],
  ]);
});

test("CC-19: HTTPS_PROXY carries every call: a proxy on loopback sees the platform's host and nothing of what is said", async () => {
  const seenHosts: string[] = [];
  await using api = await FakeBotApi.start();
  const proxy = createServer();
  proxy.on("connect", (request, socket, head) => {
    seenHosts.push(request.url ?? "");
    const through = connect(Number(new URL(api.url).port), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      through.write(head);
      through.pipe(socket).pipe(through);
    });
    through.on("error", () => socket.destroy());
    socket.on("error", () => through.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  process.env["HTTPS_PROXY"] = address;
  try {
    await using t = await startTelegram({
      api,
      config: { endpoints: { telegram_url: "https://telegram.test" } },
    });
    const message = { to: { chat: 1 }, parts: textParts("x"), key: "x" };
    await t.host.slot(Channels).get("telegram")!.send(message, AbortSignal.timeout(60_000));
    expect(new Set(seenHosts)).toEqual(new Set(["telegram.test:443"]));
  } finally {
    delete process.env["HTTPS_PROXY"];
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  }
});

test("CC-20: a stop in the midst of a poll is quick, leaves no timer, and confirms nothing that is not on disk", async () => {
  const store = createMemoryStore();
  await using t = await startTelegram({ plugins: [memoryStore(store), fakeProvider(["x"])] });
  await t.api.until(() => t.api.of("getUpdates").length === 1);
  const began = performance.now();
  await t.host.stop();
  expect(performance.now() - began).toBeLessThan(45_000);
  t.say("while it was away");
  expect([t.api.updates.length, t.api.confirmed]).toEqual([1, []]);
  await using next = await startTelegram({
    api: t.api,
    plugins: [memoryStore(store), fakeProvider(["back"])],
  });
  expect((await next.api.sent(1))[0]?.["text"]).toBe("back");
});

test("CC-17: status of another process tells the connection and the age of the last event", async () => {
  const store = createMemoryStore();
  await using serving = await startTelegram({ plugins: [memoryStore(store), fakeProvider(["x"])] });
  serving.say("hi");
  await serving.api.sent(1);
  await using asking = await startTelegram({
    api: serving.api,
    plugins: [memoryStore(store), fakeProvider(["x"])],
    serves: false,
  });
  expect(await asking.check("telegram-status")).toContainEqual({
    what: "telegram connection",
    state: "ok",
    detail: expect.stringMatching(/^connected for \d+ s; last event \d+ s ago$/),
  });
  expect(await asking.host.slot(Store).values.list("channel.health", { limit: 99 })).toHaveLength(1);
});
