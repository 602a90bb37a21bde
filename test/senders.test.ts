import { directMessage, Inbox, Store, type Trust } from "@gantry/sdk";
import { fakeProvider, memoryStore, startTestHost, type TestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import store from "../plugins/store-sqlite/index.ts";
import { gate } from "./helpers/plugins.ts";
import { chat, passing, simulateTime, write } from "./helpers/waiting.ts";

const minute = 60_000;

test("INB-03: of one sender no more than max_waiting_per_sender wait; further ones are refused, and the sender is told once", async () => {
  const channel = chat();
  const config = { gateway: { max_waiting_per_sender: 5, messages_per_minute_per_sender: 1_000 } };
  await using t = await startTestHost({ plugins: [channel.plugin, fakeProvider(["ok"]), store], config });
  const texts = Array.from({ length: 200 }, (_, i) => `m${i}`);
  const receipts = [...(await write(t, "flood", texts)), ...(await write(t, "flood", texts))];
  expect(Map.groupBy(receipts, (receipt) => receipt).get("accepted")).toHaveLength(5);
  expect(new Set(receipts)).toEqual(new Set(["accepted", "refused"]));
  await t.serve();
  await expect.poll(() => channel.sent.length).toBe(6);
  expect(channel.sent.map(({ text }) => text).toSorted()).toEqual([
    expect.stringMatching(/^5 of your messages wait/),
    ...Array.from({ length: 5 }, () => "ok"),
  ]);
  expect(t.logs.filter(({ level }) => level === "warn")).toHaveLength(1);
  expect(await write(t, "flood", ["again"])).toEqual(["accepted"]);
});

test("INB-03: a sender who floods shuts nobody out: a hundred others, guests too, are taken and answered before the flood is", async () => {
  const channel = chat();
  const { opened, open } = gate();
  const model = fakeProvider([
    ({ messages }) => ({
      text: "ok",
      ...(JSON.stringify(messages.at(-1)).includes("flood") && { after: opened }),
    }),
  ]);
  await using t = await startTestHost({ plugins: [channel.plugin, model, store] });
  await t.serve();
  const flood = Array.from({ length: 1_000 }, (_, i) => `flood ${i}`);
  for (let i = 0; i < 10; i += 1) await write(t, "flooder", flood, "guest");
  const others = Array.from({ length: 100 }, (_, i) => `other${i}`);
  const receipts = await Promise.all(others.map((from) => write(t, from, ["hi"], "guest")));
  expect(new Set(receipts.flat())).toEqual(new Set(["accepted"]));
  const answered = () => channel.sent.filter(({ text }) => text === "ok").map(({ to }) => to);
  await expect.poll(() => answered().length).toBe(100);
  expect(answered().toSorted()).toEqual(others.toSorted());
  const { waiting, running } = await t.slot(Store).lanes.stats();
  expect(waiting + running).toBe(50);
  open();
});

test("INB-03: of one sender messages_per_minute_per_sender are answered in a minute; the others wait, in order, and the sender is told once", async () => {
  using _ = simulateTime();
  const channel = chat();
  const model = fakeProvider([({ messages }) => `re ${/m\d+/.exec(JSON.stringify(messages.at(-1)))?.[0]}`]);
  const config = { gateway: { messages_per_minute_per_sender: 3 } };
  await using t = await startTestHost({ plugins: [channel.plugin, model, store], config });
  await t.serve();
  const began = Date.now();
  await write(t, "quick", ["m0", "m1", "m2", "m3", "m4", "m5", "m6"]);
  await write(t, "slow", ["m9"]);
  const answers = () => channel.sent.filter(({ to, text }) => to === "quick" && text.startsWith("re "));
  await passing(t, () => answers().length === 7);
  expect(answers().map(({ text }) => text)).toEqual([0, 1, 2, 3, 4, 5, 6].map((n) => `re m${n}`));
  const minutes = answers().map(({ at }) => Math.floor((at - began) / minute));
  expect(minutes).toEqual([0, 0, 0, 1, 1, 1, 2]);
  expect(channel.sent.find(({ to }) => to === "slow")?.at).toBeLessThan(began + minute);
  expect(channel.sent.filter(({ text }) => text.includes("3 messages in a minute"))).toHaveLength(1);
  expect(model.requests).toHaveLength(8);
});

test("INB-03: a message that waits for the model counts once, however often it is tried", async () => {
  using _ = simulateTime();
  const channel = chat();
  const back = Date.now() + 5 * minute;
  const failure = { code: "DOWN", message: "down", status: 503, retry: true };
  const model = fakeProvider([() => (Date.now() < back ? { failure } : "ok")]);
  const config = { gateway: { messages_per_minute_per_sender: 1 } };
  await using t = await startTestHost({ plugins: [channel.plugin, model, store], config });
  await t.serve();
  await write(t, "a", ["hi"]);
  await passing(t, () => channel.sent.length > 0);
  expect(channel.sent).toMatchObject([{ text: "ok" }]);
  expect(channel.sent[0]?.at).toBeLessThanOrEqual(back + 30_000);
});

/**
 * In a group: messages of `from`, which are one conversation with those of everybody else there.
 */
function writeInGroup(t: TestHost, from: string, texts: readonly string[], trust: Trust = "owner") {
  const conversation = { id: "team", kind: "group" } as const;
  const messages = texts.map((text) => ({
    ...directMessage({ channel: "chat", id: `${from}-${text}`, from, text, trust, replyTo: from }),
    conversation,
  }));
  return t.slot(Inbox).receive(messages);
}

const stores = [
  ["the store", () => store],
  ["the store of tests", () => memoryStore()],
] as const;

test.each(stores)("FLR-34: in %s those over their pace in a group are stepped over", async (_name, made) => {
  using _ = simulateTime();
  const channel = chat();
  const model = fakeProvider([({ messages }) => `re ${/m\d+/.exec(JSON.stringify(messages.at(-1)))?.[0]}`]);
  const config = { gateway: { messages_per_minute_per_sender: 2 } };
  await using t = await startTestHost({ plugins: [channel.plugin, model, made()], config });
  await t.serve();
  const began = Date.now();
  await writeInGroup(t, "eve", ["m1", "m2", "m3", "m4", "m5"], "guest");
  await writeInGroup(t, "mallory", ["m6", "m7", "m8"], "guest");
  await writeInGroup(t, "ada", ["m9"]);
  const answers = () => channel.sent.filter(({ text }) => text.startsWith("re "));
  await passing(t, () => answers().some(({ to }) => to === "ada"));
  // All that is left waits for the pace of its sender.
  await writeInGroup(t, "ada", ["m10"]);
  await passing(t, () => answers().length === 10);
  const told = (who: string) => answers().filter(({ to }) => to === who);
  for (const { at } of told("ada")) expect(at - began).toBeLessThan(minute / 2);
  expect(told("eve").map(({ text }) => text)).toEqual(["re m1", "re m2", "re m3", "re m4", "re m5"]);
  expect(told("mallory").map(({ text }) => text)).toEqual(["re m6", "re m7", "re m8"]);
  const minutes = told("eve").map(({ at }) => Math.floor((at - began) / minute));
  expect(minutes).toEqual([0, 0, 1, 1, 2]);
});

test("FLR-34: who waits for their pace is no outage", async () => {
  const channel = chat();
  const config = { gateway: { messages_per_minute_per_sender: 1 } };
  await using t = await startTestHost({ plugins: [channel.plugin, fakeProvider(["ok"]), store], config });
  await t.serve();
  await writeInGroup(t, "eve", ["m1", "m2"], "guest");
  await expect.poll(() => channel.sent.length).toBe(2);
  const { lanes } = t.slot(Store);
  await expect
    .poll(async () => (await lanes.page("waiting", 9)).map(({ reason }) => reason))
    .toEqual(["its sender writes faster than allowed"]);
  expect(await lanes.waits()).toEqual([]);
});
