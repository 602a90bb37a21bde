import { createMemoryStore, fakeClock, fakeProvider, memoryStore, type FakeClock } from "@gantry/sdk/testing";
import { textOf } from "@gantry/sdk";
import { expect, test } from "vitest";
import {
  directOf,
  group,
  named,
  owner,
  sayTo,
  seenOf,
  startSlack,
  startWorkspace,
  type TestSlack,
} from "./slack.test-kit.ts";

/** The clock of this machine, whatever the tests do to theirs. */
const { setTimeout: really } = globalThis;

function echo() {
  return fakeProvider([({ messages }) => textOf(messages.at(-1)?.parts ?? []).replace(/^\[[^\]]*\]\n/, "")]);
}

/**
 * Lets time pass until `seen` is true, with room for what goes over the network; gives how much has
 * passed, in ms.
 */
async function passUntil(clock: FakeClock, seen: () => boolean): Promise<number> {
  const began = clock.now();
  while (!seen()) {
    await clock.advance(250);
    await new Promise((resolve) => really(resolve, 1));
  }
  return clock.now() - began;
}

const said = (t: TestSlack, words: string) => t.host.logs.filter(({ message }) => message.includes(words));

test("SL-05: at a warning the second connection is open before the first is closed, and nothing that comes meanwhile is lost or doubled", async () => {
  await using t = await startSlack({ plugins: [memoryStore(), echo()] });
  await t.say("one");
  for (const [i, reason] of ["warning", "refresh_requested"].entries()) {
    t.api.socketMode.disconnect(reason);
    await t.say(`at the ${reason}`);
    await t.api.until(() => t.api.socketMode.opened === i + 2);
    expect(t.api.socketMode.open).toBe(i + 2);
    for (let n = 0; n < 4; n += 1) await t.say(`${n} after the ${reason}`);
  }
  const texts = (await t.api.sent(11)).map(seenOf);
  expect(texts).toEqual([...new Set(texts)]);
  expect([texts.length, t.api.socketMode.opened, said(t, "not connected")]).toEqual([11, 3, []]);
  expect(said(t, "Slack counts")).toEqual([]);
});

test("SL-05: where no second connection can be had, the first goes on until Slack closes it, and a new one follows", async () => {
  await using t = await startSlack({ plugins: [memoryStore(), echo()] });
  await t.say("one");
  await t.api.sent(1);
  t.api.failures.push({ method: "apps.connections.open", error: "internal_error" });
  t.api.socketMode.disconnect("warning");
  await t.api.until(() => t.api.of("apps.connections.open").length === 2);
  await t.say("two");
  await t.api.sent(2);
  expect(t.api.socketMode.opened).toBe(1);
  t.api.socketMode.cut();
  await t.api.until(() => t.api.socketMode.opened === 2);
  await t.say("three");
  expect((await t.api.sent(3)).map(seenOf)).toEqual(["one", "two", "three"]);
});

test("SL-05: a connection that is cut is made anew, and what was under way comes again and is answered once", async () => {
  await using t = await startSlack({ plugins: [memoryStore(), echo()] });
  t.api.socketMode.ackMs = 300;
  for (let i = 0; i < 3; i += 1) {
    await t.say(`before cut ${i}`);
    t.api.socketMode.cut();
    sayTo(t.api, `while cut ${i}`);
    await t.api.until(() => t.api.socketMode.opened === i + 2);
  }
  const texts = (await t.api.sent(6)).map(seenOf);
  expect(texts).toEqual([0, 1, 2].flatMap((i) => [`before cut ${i}`, `while cut ${i}`]));
});

test("SL-08: a connection that says no hello in 10 s is made anew", async () => {
  await using api = await startWorkspace();
  api.socketMode.saysHello = false;
  using clock = fakeClock();
  await using t = await startSlack({ api });
  await passUntil(clock, () => api.socketMode.opened === 1);
  const passed = await passUntil(clock, () => said(t, "said no hello within 10 s").length === 1);
  expect([passed >= 9_000, passed <= 12_000]).toEqual([true, true]);
  api.socketMode.saysHello = true;
  await passUntil(clock, () => api.socketMode.opened === 2 && said(t, "is connected").length === 1);
});

test("SL-08: CC-17: a connection without a ping for 60 s is made anew; one that pings is not, however quiet it is", async () => {
  using clock = fakeClock();
  await using t = await startSlack();
  const { api } = t;
  await passUntil(clock, () => api.socketMode.open === 1);
  const quiet = clock.now() + 300_000;
  await passUntil(clock, () => clock.now() >= quiet);
  expect(api.socketMode.opened).toBe(1);
  api.socketMode.isDeaf = true;
  const passed = await passUntil(clock, () => api.socketMode.opened === 2);
  expect([passed >= 50_000, passed <= 90_000]).toEqual([true, true]);
  expect(said(t, "nothing came for 60 s")).toHaveLength(1);
});

test("SL-10: what was written while nobody listened is fetched at the start, from known places alone, in its order, once", async () => {
  const store = createMemoryStore();
  await using first = await startSlack({ plugins: [memoryStore(store), echo()] });
  const { api } = first;
  await first.say("known");
  const top = await first.say(`${named} known thread`, { channel: group });
  await api.sent(2);
  await first.host.stop();
  await api.until(() => api.socketMode.open === 0);

  const channel = "CUNKNOWN1";
  api.channels.set(channel, { isMember: true });
  api.maxPage = 5;
  for (let i = 0; i < 12; i += 1) sayTo(api, `missed ${i}`);
  sayTo(api, "not for it", { channel: group });
  sayTo(api, `${named} missed in the channel`, { channel: group });
  sayTo(api, `${named} missed in the thread`, { channel: group, thread_ts: top });
  sayTo(api, `${named} in a place that is not known`, { channel });
  await using second = await startSlack({ api, plugins: [memoryStore(store), echo()] });
  await second.say("new");
  const sent = (await api.sent(17)).slice(2);
  const direct = sent.filter((params) => params["channel"] === directOf(owner)).map(seenOf);
  expect(direct).toEqual([...Array.from({ length: 12 }, (_, i) => `missed ${i}`), "new"]);
  const others = sent.filter((params) => params["channel"] === group);
  expect(others.map(seenOf).toSorted()).toEqual(["missed in the channel", "missed in the thread"]);
  expect(others.find((params) => seenOf(params).includes("thread"))?.["thread_ts"]).toBe(top);
  const asked = new Set(api.of("conversations.history").map(({ params }) => params["channel"]));
  expect(asked).toEqual(new Set([directOf(owner), group]));
});

test("SL-10: what is missed is fetched within Slack's rate, and holds up nobody meanwhile; a place that is gone is left out", async () => {
  const store = createMemoryStore();
  await using first = await startSlack({ plugins: [memoryStore(store), echo()] });
  const { api } = first;
  await first.say("known");
  const top = await first.say(`${named} known thread`, { channel: group });
  await api.sent(2);
  await first.host.stop();
  await api.until(() => api.socketMode.open === 0);
  sayTo(api, "missed");
  api.channels.delete(group);
  api.failures.push({
    method: "conversations.history",
    channel: directOf(owner),
    error: "ratelimited",
    retryAfter: 1,
  });
  await using second = await startSlack({ api, plugins: [memoryStore(store), echo()] });
  await api.until(() => api.of("conversations.history").some(({ refused }) => refused));
  await second.say("new");
  expect((await api.sent(4)).slice(2).map(seenOf)).toEqual(["new", "missed"]);
  await api.until(() => api.of("conversations.replies").length === 1);
  expect(said(second, `What was written in ${group} meanwhile is not known`).length).toBeGreaterThan(0);
  const places = (
    await store.values.list<{ channel: string; thread?: string }>("slack.places", { limit: 99 })
  ).map(({ value }) => value);
  expect(places.some(({ channel, thread }) => channel === group && thread === top)).toBe(false);
});

test("SL-06: too many connections are named with the cure, and tried again in minutes", async () => {
  await using api = await startWorkspace();
  api.socketMode.refusal = "too_many_websockets";
  using clock = fakeClock();
  await using t = await startSlack({ api });
  await passUntil(clock, () => said(t, "ten connections of this app").length === 1);
  expect(await t.check("slack-status")).toContainEqual(
    expect.objectContaining({
      what: "slack connection",
      state: "fail",
      detail: expect.stringContaining("end other programs"),
    }),
  );
  expect(api.socketMode.opened).toBe(1);
  const passed = await passUntil(clock, () => api.socketMode.opened === 2);
  expect(passed).toBeGreaterThanOrEqual(100_000);
});
