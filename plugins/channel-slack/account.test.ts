import { Channels, Commands, Store, textOf, textParts } from "@gantry/sdk";
import { createMemoryStore, fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import gateway from "../gateway-http/index.ts";
import { appToken, botToken } from "./fake-slack.test-kit.ts";
import {
  directOf,
  group,
  owner,
  seenOf,
  startSlack,
  startWorkspace,
  stranger,
  type TestSlack,
} from "./slack.test-kit.ts";

const seen = (t: TestSlack, words: string) => t.host.logs.filter(({ message }) => message.includes(words));

/** Resolves once the log holds these words. */
async function logged(t: TestSlack, words: string): Promise<void> {
  await expect.poll(() => seen(t, words).length).toBeGreaterThan(0);
}

test.each([
  ["bot_token", botToken],
  ["app_token", appToken],
])(
  "CC-10: SL-13: a revoked %s is said once, with the cure, in log, status and doctor; replies are kept",
  async (key, token) => {
    await using api = await startWorkspace();
    api.revoked.add(token);
    await using t = await startSlack({ api });
    await logged(t, "API error: 401");
    expect(seen(t, "API error: 401")).toMatchObject([
      { level: "error", message: expect.stringContaining(`channels.slack.${key}`) },
    ]);
    for (const name of ["slack-status", "slack-doctor", "slack"])
      expect(await t.check(name)).toContainEqual(
        expect.objectContaining({
          state: "fail",
          detail: expect.stringContaining("API error: 401 (token_revoked)"),
        }),
      );
    const message = { to: { channel: group }, parts: textParts("x"), key: "x" };
    const sent = await t.host.slot(Channels).get("slack")!.send(message, AbortSignal.timeout(60_000));
    expect(sent).toMatchObject(
      key === "bot_token" ? { status: "retry", scope: "channel" } : { status: "sent" },
    );
  },
);

test.each([
  [{ bot_token: appToken, app_token: botToken }, "are swapped"],
  [{ bot_token: "xoxp-1111111111-2222222222-user" }, "a user's token (xoxp-)"],
  [{ bot_token: "xoxb-" }, "cut or mistyped"],
  [{ bot_token: "123456789:AAtelegram" }, "something else"],
  [{ bot_token: "https://hooks.slack.com/services/T/B/x" }, "the address of a webhook"],
  [{ app_token: botToken }, "a bot token (xoxb-)"],
  [{ app_token: "xoxe.xapp-renewal-of-others" }, "a token for renewing others"],
])(
  "CC-10: SL-01: a wrong kind of token is named with the cure, and never sent to the platform (%#)",
  async (table, words) => {
    await using t = await startSlack({ table });
    await logged(t, words);
    expect(t.api.calls).toEqual([]);
    for (const name of ["slack-status", "slack-doctor", "slack"])
      expect(await t.check(name)).toContainEqual(
        expect.objectContaining({
          state: "fail",
          detail: expect.stringMatching(/xoxb-.*xapp-|begins with x(?:oxb|app)-/),
        }),
      );
  },
);

test("CHN-03: the tokens may come from SERVICE_SLACK_BOT_TOKEN and SERVICE_SLACK_APP_TOKEN; the start says what is missing", async () => {
  await using t = await startSlack({
    table: { bot_token: "nonsense", app_token: "nonsense" },
    env: { SERVICE_SLACK_BOT_TOKEN: botToken, SERVICE_SLACK_APP_TOKEN: appToken },
  });
  await t.say("hi");
  await t.api.sent(1);
  await expect(startSlack({ table: { bot_token: undefined, app_token: undefined } })).rejects.toMatchObject({
    code: "CHANNEL_MISSING",
    message: expect.stringMatching(/SERVICE_SLACK_BOT_TOKEN.*SERVICE_SLACK_APP_TOKEN/),
  });
});

test("SL-13: a scope that the app lacks is named by doctor, one of the app token stops the connection with the cure", async () => {
  await using api = await startWorkspace();
  api.scopes.delete("files:read");
  api.scopes.delete("users:read");
  api.appScopes.clear();
  await using t = await startSlack({ api });
  await logged(t, "lacks the scope connections:write");
  const rows = await t.check("slack");
  expect(rows).toContainEqual({
    what: "slack scopes",
    state: "warn",
    detail: "the bot token lacks files:read, users:read",
    cure: expect.stringContaining("install it again"),
  });
  expect(rows).toContainEqual(
    expect.objectContaining({
      what: "slack socket mode",
      state: "fail",
      detail: expect.stringContaining("app_token lacks"),
    }),
  );
});

test("SL-13: Socket Mode that is switched off is said with the cure, and not tried in haste", async () => {
  await using api = await startWorkspace();
  api.socketMode.refusal = "link_disabled";
  await using t = await startSlack({ api });
  await logged(t, "Socket Mode is switched off");
  expect(await t.check("slack-status")).toContainEqual(
    expect.objectContaining({
      what: "slack connection",
      state: "fail",
      detail: expect.stringContaining("switch it on under Socket Mode"),
    }),
  );
  expect(api.socketMode.opened).toBe(1);
});

test("SL-07: a second program on the app is named in log, status and doctor, while messages still come in", async () => {
  await using api = await startWorkspace();
  api.socketMode.others = 1;
  await using t = await startSlack({ api });
  await t.say("hi");
  await t.api.sent(1);
  expect(seen(t, "Slack counts 2 connections of this app where this service has 1")).toHaveLength(1);
  for (const name of ["slack-status", "slack-doctor", "slack"])
    expect(await t.check(name)).toContainEqual(
      expect.objectContaining({
        what: "slack connection",
        state: "warn",
        detail: expect.stringContaining("end the other program"),
      }),
    );
});

test("CHN-03: pairing_enabled: a code of `gantry pair new` in a direct message lets a member in, never an owner, until shut out", async () => {
  const words = fakeProvider([({ messages }) => textOf(messages.at(-1)?.parts ?? [])]);
  await using t = await startSlack({
    plugins: [memoryStore(), words, gateway],
    table: { pairing_enabled: true, allowed_users: [owner], owners: [owner] },
    config: { gateway: { port: 0 } },
    serves: false,
  });
  await t.host.serve(["slack"]);
  const word = async (name: string, ...args: readonly string[]): Promise<string> => {
    let text = "";
    const out = (line: string): void => void (text += `${line}\n`);
    const signal = new AbortController().signal;
    const run = { args, options: {}, out, err: () => {}, interactive: false, signal, serve: async () => 0 };
    await t.host.slot(Commands).get(name)!.run(run);
    return text.trim();
  };
  await t.say("123456789012", { user: stranger });
  expect((await t.api.sent(1))[0]?.["text"]).toContain("not valid");
  await t.say(await word("pair new"), { user: stranger });
  expect((await t.api.sent(2))[1]).toMatchObject({
    channel: directOf(stranger),
    text: expect.stringContaining("paired"),
  });
  await t.say("am I in?", { user: stranger });
  expect(seenOf((await t.api.sent(3))[2] ?? {})).toBe("am I in?");
  expect(await word("slack people")).toMatch(new RegExp(`^${stranger} `));
  await word("slack unpair", stranger);
  await t.say("and now?", { user: stranger });
  await t.say("still here", { user: owner });
  expect((await t.api.sent(4)).at(-1)).toMatchObject({ channel: directOf(owner) });
  const manifest = JSON.parse(await word("slack manifest"));
  expect(manifest.settings).toMatchObject({ socket_mode_enabled: true, interactivity: { is_enabled: true } });
});

test("CC-19: HTTPS_PROXY carries the Web API and the WebSocket: a proxy on loopback sees both hosts and nothing of what is said", async () => {
  const hosts: string[] = [];
  await using api = await startWorkspace();
  const proxy = createServer();
  proxy.on("connect", (request, socket, head) => {
    hosts.push(request.url ?? "");
    const through = connect(Number(new URL(api.url).port), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      through.write(head);
      through.pipe(socket).pipe(through);
    });
    through.on("error", () => socket.destroy());
    socket.on("error", () => through.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  process.env["HTTPS_PROXY"] = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  try {
    await using t = await startSlack({
      api,
      config: { endpoints: { slack_url: "https://slack.test/api" } },
      serves: false,
    });
    const message = { to: { channel: group }, parts: textParts("x"), key: "x" };
    await t.host.slot(Channels).get("slack")!.send(message, AbortSignal.timeout(60_000));
    expect(new Set(hosts)).toEqual(new Set(["slack.test:443"]));
  } finally {
    delete process.env["HTTPS_PROXY"];
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  }
});

test("CC-20: a stop in the midst of a connection is quick and leaves nothing open; what is written meanwhile is answered by the next", async () => {
  const store = createMemoryStore();
  await using t = await startSlack({ plugins: [memoryStore(store), fakeProvider(["x"])] });
  await t.say("known from now on");
  await t.api.sent(1);
  const began = performance.now();
  await t.host.stop();
  expect(performance.now() - began).toBeLessThan(45_000);
  await t.api.until(() => t.api.socketMode.open === 0);
  t.api.say(directOf(owner), { user: owner, text: "while it was away" });
  await using next = await startSlack({ api: t.api, plugins: [memoryStore(store), fakeProvider(["back"])] });
  expect((await next.api.sent(2)).map(seenOf)).toEqual(["x", "back"]);
});

test("CC-17: status of another process tells the connection and the age of the last event", async () => {
  const store = createMemoryStore();
  await using serving = await startSlack({ plugins: [memoryStore(store), fakeProvider(["x"])] });
  await serving.say("hi");
  await serving.api.sent(1);
  await using asking = await startSlack({
    api: serving.api,
    plugins: [memoryStore(store), fakeProvider(["x"])],
    serves: false,
  });
  expect(await asking.check("slack-status")).toContainEqual({
    what: "slack connection",
    state: "ok",
    detail: expect.stringMatching(/^connected for \d+ s; last event \d+ s ago$/),
  });
  expect(await asking.check("slack")).toContainEqual({
    what: "slack",
    state: "ok",
    detail: "the platform knows the bot @gantry in Acme",
  });
  expect(await asking.host.slot(Store).values.list("channel.health", { limit: 99 })).toHaveLength(1);
});
