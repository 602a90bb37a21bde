import { Store, textOf, type ChatMessage } from "@gantry/sdk";
import { createMemoryStore, fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { chatOf, inGuild, member, named, owner, startDiscord, type TestDiscord } from "./discord.test-kit.ts";
import { FakeDiscord, self, token } from "./fake-discord.test-kit.ts";

/** Answers each message with what it says. */
function echo() {
  return fakeProvider([({ messages }) => lastOf(messages)]);
}

function lastOf(messages: readonly ChatMessage[]): string {
  return textOf(messages.at(-1)?.parts ?? []).replace(/^\[[^\]]*\]\n/, "");
}

const textsOf = (api: FakeDiscord) => api.said().map((message) => message["content"] as string);
const seen = (t: TestDiscord, words: string) => t.host.logs.filter(({ message }) => message.includes(words));

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  await expect.poll(holds).toBe(true);
}

/** Resolves once the service has written down that it goes on behind so many events. */
async function keptUpTo(t: TestDiscord, seq: number): Promise<void> {
  const values = t.host.slot(Store).values;
  await until(async () => ((await values.get<{ seq: number }>("discord.session", self.id))?.seq ?? 0) >= seq);
}

test("DC-01: the platform is asked for its gateway before a session begins, with the intents that are needed", async () => {
  await using t = await startDiscord();
  t.say("hi");
  expect((await t.api.sent(1))[0]?.["content"]).toBe("hello there");
  const first = t.api.calls.findIndex(({ what }) => what === "GET /gateway/bot");
  expect([first >= 0, t.api.gateway.identified.length]).toEqual([true, 1]);
  expect(t.api.gateway.identified[0]).toEqual({
    token,
    intents: (1 << 9) | (1 << 12) | (1 << 15),
    properties: { os: process.platform, browser: "gantry", device: "gantry" },
  });
  await using direct = await startDiscord({ table: { groups: "off" } });
  await direct.connected();
  expect(direct.api.gateway.identified[0]?.["intents"]).toBe(1 << 12);
});

test("DC-01: with no start left the bot does not identify, and waits as long as the platform says", async () => {
  await using api = await FakeDiscord.start();
  api.gateway.starts = { total: 1_000, remaining: 0, reset_after: 1_500 };
  await using t = await startDiscord({ connects: false, api });
  await until(() => seen(t, "used up the 1000 connections").length > 0);
  expect([api.gateway.identified, api.gateway.connections]).toEqual([[], 0]);
  expect(await t.check("discord")).toContainEqual(
    expect.objectContaining({ what: "discord starts", detail: "0 of 1000 connections of a day are left" }),
  );
  api.gateway.starts = { total: 1_000, remaining: 9, reset_after: 1_500 };
  await t.connected();
});

test("DC-02: CC-17: the heartbeat says what is done with; one that is not answered ends the connection with 4000, and the session goes on", async () => {
  await using api = await FakeDiscord.start();
  api.gateway.heartbeatMs = 100;
  await using t = await startDiscord({ api, plugins: [memoryStore(), echo()] });
  t.say("one");
  await api.sent(1);
  await api.until(() => (api.gateway.beats.at(-1) ?? 0) >= 3);
  api.gateway.deaf = true;
  await api.until(() => api.gateway.closes.length > 0);
  api.gateway.deaf = false;
  expect(api.gateway.closes).toEqual([4_000]);
  await api.until(() => api.gateway.resumed.length > 0);
  t.say("two");
  await api.sent(2);
  expect([textsOf(api), api.gateway.identified.length]).toEqual([["one", "two"], 1]);
});

test("DC-02: a gateway that takes the connection and says nothing is left, without an end of the service", async () => {
  await using api = await FakeDiscord.start();
  api.gateway.silent = true;
  await using t = await startDiscord({ connects: false, api });
  await api.until(() => api.gateway.connections === 1);
  await t.host.stop();
  expect(api.gateway.identified).toEqual([]);
});

test("DC-03: asked for another connection, and after a cut, the session is gone on with at once, and nothing is lost", async () => {
  await using t = await startDiscord({ plugins: [memoryStore(), echo()] });
  await keptUpTo(t, 1);
  t.api.gateway.ask(7);
  t.say("while it changes");
  await t.api.sent(1);
  await t.api.until(() => t.api.gateway.resumed.length === 1);
  t.api.gateway.drop();
  t.say("while it is cut");
  await t.api.sent(2);
  await t.api.until(() => t.api.gateway.resumed.length === 2);
  t.api.gateway.ask(9, true);
  t.say("while it is in doubt");
  await t.api.sent(3);
  expect(t.api.gateway.identified).toHaveLength(1);
  expect(seen(t, "not connected")).toEqual([]);
});

test("DC-03: a session that is over is followed by another one after a second at least", async () => {
  await using t = await startDiscord({ plugins: [memoryStore(), echo()] });
  await keptUpTo(t, 1);
  const began = Date.now();
  t.api.gateway.ask(9, false);
  await t.api.until(() => t.api.gateway.identified.length === 2);
  expect(Date.now() - began).toBeGreaterThanOrEqual(990);
  t.say("again");
  expect((await t.api.sent(1))[0]?.["content"]).toBe("again");
});

test("DC-04: a sequence is kept only once its message is on disk; what was not comes again", async () => {
  const store = createMemoryStore();
  const accept = store.lanes.accept.bind(store.lanes);
  let fails = true;
  store.lanes.accept = async (messages) => {
    if (fails) throw new Error("the disk is full");
    return accept(messages);
  };
  await using t = await startDiscord({ plugins: [memoryStore(store), echo()] });
  await keptUpTo(t, 1);
  t.say("kept");
  await until(() => seen(t, "the disk is full").length > 0);
  const session = await store.values.get<{ seq: number }>("discord.session", self.id);
  expect(session?.seq).toBe(1);
  fails = false;
  expect((await t.api.sent(1))[0]?.["content"]).toBe("kept");
  expect(t.api.gateway.resumed.at(-1)).toMatchObject({ seq: 1 });
});

test("DC-04: CC-20: a stop keeps the session; the next process goes on with it and answers what came meanwhile", async () => {
  const store = createMemoryStore();
  await using first = await startDiscord({ plugins: [memoryStore(store), echo()] });
  first.say("one");
  await first.api.sent(1);
  await keptUpTo(first, 2);
  await first.host.stop();
  await first.api.until(() => first.api.gateway.open.length === 0);
  expect(first.api.gateway.closes).not.toContain(1_000);
  first.say("two");
  await using second = await startDiscord({ api: first.api, plugins: [memoryStore(store), echo()] });
  await first.api.sent(2);
  expect(textsOf(second.api)).toEqual(["one", "two"]);
  expect([first.api.gateway.identified.length, first.api.gateway.resumed.length]).toEqual([1, 1]);
});

test("DC-05: after a new session what was missed is fetched where the bot was asked, in order and once, and nothing older", async () => {
  const store = createMemoryStore();
  await using first = await startDiscord({ plugins: [memoryStore(store), echo()], table: { groups: "all" } });
  first.say("one");
  await first.api.sent(1);
  first.say("in the hall", inGuild);
  await first.api.sent(2);
  first.say("known too", { author: member });
  await first.api.sent(3);
  await keptUpTo(first, 4);
  await first.host.stop();
  first.api.gateway.forget();
  for (const text of ["two", "three"]) first.say(text);
  first.say("four", { ...inGuild, author: member });
  first.api.channels.delete(chatOf(member));
  await using second = await startDiscord({
    api: first.api,
    plugins: [memoryStore(store), echo()],
    table: { groups: "all" },
  });
  await first.api.sent(5);
  second.say("live");
  await until(() => textsOf(second.api).includes("live"));
  expect(textsOf(second.api).toSorted()).toEqual(["four", "in the hall", "live", "one", "three", "two"]);
  const asked = first.api.of(/^GET \/channels\/\d+\/messages$/);
  expect(asked.every(({ query }) => query.get("limit") === "50" && query.has("after"))).toBe(true);
  expect(asked).toHaveLength(3);
});

test("DC-05: a question that is more than a page of missed messages away is found too, in order and once", async () => {
  const store = createMemoryStore();
  await using first = await startDiscord({ plugins: [memoryStore(store), echo()] });
  first.say(`${named} one`, inGuild);
  await first.api.sent(1);
  await keptUpTo(first, 2);
  await first.host.stop();
  first.api.gateway.forget();
  for (let i = 1; i <= 120; i += 1)
    first.say(i % 40 === 0 ? `${named} question ${i}` : `chat ${i}`, { ...inGuild, author: member });
  await using second = await startDiscord({ api: first.api, plugins: [memoryStore(store), echo()] });
  await second.api.sent(4);
  expect(textsOf(second.api)).toEqual(["one", "question 40", "question 80", "question 120"]);
  const pages = first.api.of(/^GET \/channels\/\d+\/messages$/);
  expect(pages).toHaveLength(3);
  expect(new Set(pages.map(({ query }) => query.get("after"))).size).toBe(3);
});

test("DC-05: a platform that is away while it is asked for what was missed is asked again", async () => {
  const store = createMemoryStore();
  await using first = await startDiscord({ plugins: [memoryStore(store), echo()] });
  first.say("one");
  await first.api.sent(1);
  await keptUpTo(first, 2);
  await first.host.stop();
  first.api.gateway.forget();
  first.say("two");
  first.api.failures.push({ what: /^GET \/channels/, status: 503 });
  await using second = await startDiscord({ api: first.api, plugins: [memoryStore(store), echo()] });
  await second.api.sent(2);
  expect(textsOf(second.api)).toEqual(["one", "two"]);
});

test("DC-05: what was missed is fetched before anything newer is taken, also where the first try of it failed", async () => {
  const store = createMemoryStore();
  await using first = await startDiscord({ plugins: [memoryStore(store), echo()] });
  const { api } = first;
  first.say("one");
  await api.sent(1);
  await keptUpTo(first, 2);
  await first.host.stop();
  api.gateway.forget();
  first.say("two");
  api.failures.push({ what: /^GET \/channels/, status: 503 });
  await using second = await startDiscord({ api, plugins: [memoryStore(store), echo()] });
  await api.until(() => api.failures.length === 0 && api.gateway.open.length === 0);
  // Handed out again with the session, before it is said to be resumed.
  second.say("three");
  await api.sent(3);
  expect(textsOf(api)).toEqual(["one", "two", "three"]);
  expect(api.gateway.resumed).not.toEqual([]);
});

test("DC-06: without the Message Content intent the start stops with the cure, and goes on by itself once it is switched on", async () => {
  await using api = await FakeDiscord.start();
  api.mayReadWords = false;
  await using t = await startDiscord({ connects: false, api });
  await until(() => seen(t, "(4014)").length > 0);
  expect(seen(t, "(4014)")).toMatchObject([
    { level: "error", message: expect.stringContaining("Switch on Message Content Intent") },
  ]);
  for (const name of ["discord-status", "discord-doctor", "discord"])
    expect(await t.check(name)).toContainEqual(
      expect.objectContaining({ state: "fail", detail: expect.stringContaining("Message Content Intent") }),
    );
  expect(api.gateway.identified).toHaveLength(1);
});

test.each([
  [4_004, "the bot token is wrong or was reset"],
  [4_010, "give Gantry a bot of its own"],
  [4_011, "give Gantry a bot of its own"],
  [4_012, "update Gantry"],
  [4_013, "update Gantry"],
  [4_014, "Message Content Intent"],
])("DC-06: the gateway's %i stops the channel with a sentence and its cure", async (code, cure) => {
  await using t = await startDiscord();
  await keptUpTo(t, 1);
  t.api.gateway.drop(code);
  await until(() => seen(t, `(${code})`).length > 0);
  expect(seen(t, `(${code})`)).toMatchObject([{ level: "error", message: expect.stringContaining(cure) }]);
  expect(await t.check("discord-status")).toContainEqual(
    expect.objectContaining({ what: "discord connection", state: "fail" }),
  );
  expect(t.api.gateway.connections).toBe(1);
});

test.each([4_007, 4_009])("DC-03: after the gateway's %i another session begins", async (code) => {
  await using t = await startDiscord({ plugins: [memoryStore(), echo()] });
  await keptUpTo(t, 1);
  t.api.gateway.drop(code);
  await t.api.until(() => t.api.gateway.identified.length === 2);
  expect(t.api.gateway.resumed).toEqual([]);
});

test("DC-04: frames that cannot be read and events that are none are passed over", async () => {
  await using t = await startDiscord({ plugins: [memoryStore(), echo()] });
  await keptUpTo(t, 1);
  for (const { socket } of t.api.gateway.open)
    for (const text of ["nonsense", "null", "[]", "7", '{"op":"x"}', '{"op":0,"t":null,"s":null,"d":null}'])
      socket?.send(text);
  for (const data of [
    {},
    { id: "1", channel_id: 7, author: owner },
    { id: "1", channel_id: "1", author: { id: 5 } },
    { id: "1", channel_id: "1", author: owner, content: 5 },
    { id: "1", channel_id: "1", author: owner, mentions: 7, content: "x" },
  ])
    t.api.gateway.dispatch("MESSAGE_CREATE", data);
  t.api.gateway.dispatch("INTERACTION_CREATE", { type: 3 });
  t.say(`${named} good`);
  expect((await t.api.sent(1))[0]?.["content"]).toBe("good");
  expect(seen(t, "was left out").length).toBeGreaterThan(3);
});
