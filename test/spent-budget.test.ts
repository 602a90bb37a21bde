import { directMessage, Inbox, Store, type Trust } from "@gantry/sdk";
import { fakeProvider, startTestHost, type TestHost } from "@gantry/sdk/testing";
import { expect, test, vi } from "vitest";
import usage from "../plugins/usage-ledger/index.ts";
import { storeFile, type StoreFile } from "./helpers/stores.ts";
import { chat, passing, simulateTime, write, type Chat } from "./helpers/waiting.ts";

const evening = Date.UTC(2030, 0, 5, 18);
const midnight = Date.UTC(2030, 0, 6);

async function serve(kept: StoreFile, channel: Chat, budget: object): Promise<TestHost> {
  const t = await startTestHost({
    plugins: [channel.plugin, usage, fakeProvider(["ok"]), kept.plugin()],
    config: { budget },
  });
  await t.serve();
  return t;
}

const texts = ({ sent }: Chat, to: string): readonly string[] =>
  sent.filter((one) => one.to === to).map(({ text }) => text);

test("USE-03: CTX-07: where the day's budget is spent, a channel's messages wait for the next day, and each conversation is told once, at once, until when", async () => {
  using _ = simulateTime();
  vi.setSystemTime(evening);
  const channel = chat();
  await using t = await serve(storeFile(), channel, { tokens_per_day: 40 });
  await write(t, "boss", ["one", "two", "three"], "owner");
  await passing(t, () => channel.sent.length === 3, 100);
  await write(t, "boss", ["four", "five"], "owner");
  await write(t, "member", ["six"]);
  await passing(t, () => channel.sent.length === 5, 100);
  expect(Date.now() - evening).toBeLessThan(60_000);
  const until = "I cannot answer now; your message is kept, and answered after 2030-01-06 00:00 UTC";
  expect(texts(channel, "member")).toEqual([`${until}.`]);
  expect(texts(channel, "boss")[3]).toMatch(`${until}: The budget is spent: 45 tokens of 40 tokens`);
  await passing(t, () => Date.now() > midnight - 1_200_000, 600_000);
  expect(channel.sent).toHaveLength(5);
  await passing(t, () => channel.sent.length >= 8, 10_000);
  expect(channel.sent.slice(5).map(({ text }) => text)).toEqual(["ok", "ok", "ok"]);
  expect(Date.now() - midnight).toBeLessThan(60_000);
  expect(await t.slot(Store).lanes.page("dead", 5)).toEqual([]);
});

test("USE-03: a budget that was raised counts from the next start on, for what waits too", async () => {
  using _ = simulateTime();
  vi.setSystemTime(evening);
  const kept = storeFile();
  const channel = chat();
  const first = await serve(kept, channel, { tokens_per_day: 0 });
  for (const from of ["a", "b"]) await write(first, from, ["hello"]);
  await passing(first, () => channel.sent.length === 2, 100);
  expect(await first.slot(Store).lanes.waits()).toMatchObject([{ waitsFor: "budget", lanes: 2 }]);
  await first.stop();
  await using t = await serve(kept, channel, { tokens_per_day: 1_000 });
  await passing(t, () => channel.sent.length === 4, 100);
  expect(channel.sent.slice(2).map(({ text }) => text)).toEqual(["ok", "ok"]);
  expect(Date.now() - evening).toBeLessThan(60_000);
});

test("USE-03: CTX-07: where a budget in dollars meets a model without a price, no wait mends it: each conversation is told at once, and answered once it has one", async () => {
  const kept = storeFile();
  const channel = chat();
  const plugins = () => [channel.plugin, usage, fakeProvider(["ok"]), kept.plugin()];
  const config = { default_model: "fake-1", budget: { usd_per_day: 1 } };
  const first = await startTestHost({ plugins: plugins(), config });
  await first.serve();
  await write(first, "boss", ["one"], "owner");
  await expect.poll(() => texts(channel, "boss")).toHaveLength(1);
  expect(texts(channel, "boss")[0]).toMatch(
    /is kept and answered once that is mended: The model fake-1 has no price/,
  );
  expect((await first.slot(Store).lanes.page("waiting", 5))[0]?.failures).toBe(0);
  await first.stop();
  const prices = { "fake-1": { input: 1, output: 1 } };
  await using t = await startTestHost({ plugins: plugins(), config: { ...config, prices } });
  await t.serve();
  await expect.poll(() => texts(channel, "boss").slice(1)).toEqual(["ok"]);
});

test('USE-03: with on_limit = "ask" a no in the channel ends that message with one sentence, and the next one is asked about anew', async () => {
  const channel = chat();
  await using t = await serve(storeFile(), channel, { tokens_per_day: 0, on_limit: "ask" });
  const said = async (count: number): Promise<string> => {
    await expect.poll(() => channel.sent.length).toBe(count);
    return channel.sent[count - 1]?.text ?? "";
  };
  await write(t, "boss", ["one"], "owner");
  expect(await said(1)).toContain("The budget is spent: 0 tokens of 0 tokens");
  await write(t, "boss", ["no"], "owner");
  expect(await said(2)).toMatch(
    /^I could not answer your message.*To go on beyond the budget was not approved/s,
  );
  expect(await t.slot(Store).lanes.waits()).toEqual([]);
  await write(t, "boss", ["two"], "owner");
  expect(await said(3)).toMatch(/Answer "allow [0-9a-f]{6}" or "deny/);
  await write(t, "boss", ["yes"], "owner");
  expect(await said(4)).toBe("ok");
  expect(channel.sent).toHaveLength(4);
});

test("FLR-34: guests never spend the owner's share of a budget, and hold up nobody in a group", async () => {
  const channel = chat();
  const budget = { tokens_per_day: 60, guest_share: 0.5 };
  await using t = await serve(storeFile(), channel, budget);
  const say = async (from: string, id: string, trust: Trust): Promise<unknown> => {
    const facts = { channel: "chat", id, from, text: id, trust, replyTo: from };
    const conversation = { id: "team", kind: "group" } as const;
    return t.slot(Inbox).receive([{ ...directMessage(facts), conversation }]);
  };
  const answered = (who: string): number => texts(channel, who).filter((text) => text === "ok").length;
  for (const id of ["g1", "g2", "g3", "g4"]) await say("eve", id, "guest");
  await expect.poll(() => texts(channel, "eve").at(-1)).toMatch(/answered after/);
  expect(answered("eve")).toBe(2);
  for (const id of ["o1", "o2"]) await say("boss", id, "owner");
  await expect.poll(() => answered("boss")).toBe(2);
  expect(answered("eve")).toBe(2);
  const waits = () => t.slot(Store).lanes.waits();
  await expect.poll(waits).toMatchObject([{ waitsFor: "budget", lanes: 1 }]);
});

test("FLR-34: a guest is over the share once anybody has spent it, and a member is not", async () => {
  const channel = chat();
  await using t = await serve(storeFile(), channel, { tokens_per_day: 30, guest_share: 0.5 });
  await write(t, "boss", ["one"], "owner");
  await expect.poll(() => texts(channel, "boss")).toEqual(["ok"]);
  await write(t, "eve", ["two"], "guest");
  await expect.poll(() => texts(channel, "eve")[0]).toMatch(/is kept, and answered after/);
  await write(t, "bob", ["three"], "member");
  await expect.poll(() => texts(channel, "bob")).toEqual(["ok"]);
});
