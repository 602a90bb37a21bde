import { definePlugin, errors, Store } from "@gantry/sdk";
import { fakeProvider, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { machineClock } from "../store-sqlite/clock.ts";
import { createStore } from "../store-sqlite/store.ts";
import { tool } from "../../test/helpers/plugins.ts";
import { storeFile } from "../../test/helpers/stores.ts";
import { chat, simulateTime, passing, write } from "../../test/helpers/waiting.ts";

test("CHA-06: a turn whose lease was lost to another is ended: its tools stop, and its answer is neither kept nor sent", async () => {
  const kept = storeFile();
  using _ = simulateTime();
  const channel = chat();
  let state = "not begun";
  const wait = tool("wait", async ({ signal }) => {
    state = "runs";
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    state = "ended";
    return "never";
  });
  const model = fakeProvider([{ calls: [{ name: "wait", args: {} }] }, "too late"]);
  const store = kept.plugin();
  await using t = await startTestHost({ plugins: [channel.plugin, model, wait, store] });
  await t.serve();
  await write(t, "a", ["go"]);
  await passing(t, () => state === "runs", 10);

  // Another process takes the lane, as after a lease that ran out while this one stood still.
  const hour = 3_600_000;
  const { now, steady } = machineClock;
  const clock = { now: () => now() + hour, steady: () => steady() + hour };
  const other = createStore(kept.file, { clock });
  const [claim] = await other.store.lanes.claim(1, hour);
  expect(claim?.message.parts).toMatchObject([{ text: "go" }]);
  await passing(t, () => state === "ended");
  expect(channel.sent).toEqual([]);
  await other.store.lanes.answer(claim!, "by the other", "chat:a", []);
  await other.close();
});

test.each(["a channel", "a caller who waits"])(
  "ST-08: CHA-06: a tool does not run once the store says that the lane may be another's, in a turn of %s",
  async (whose) => {
    const kept = storeFile();
    const channel = chat();
    const runs: string[] = [];
    const held = [true, false];
    const store = kept.plugin(() => ({ isHeld: async () => held.shift() ?? false }));
    const notes = tool("notes", async () => (runs.push("ran"), "written"));
    const calls = [{ name: "notes", args: {} }];
    const model = fakeProvider([{ calls }, { calls }, "done"]);
    await using t = await startTestHost({ plugins: [channel.plugin, model, notes, store] });
    await t.serve();
    if (whose === "a channel") await write(t, "a", ["go"]);
    else await t.ask("go", { session: "test" });
    await expect.poll(() => model.requests.length).toBe(3);
    expect(runs).toEqual(["ran"]);
    expect(JSON.stringify(model.requests[2])).toContain("was taken over by another process");
  },
);

test("ST-08: CHA-06: a turn whose store says nothing for as long as its lease holds is ended, and run anew once the store is back", async () => {
  const kept = storeFile();
  using _ = simulateTime();
  const channel = chat();
  const runs: string[] = [];
  let isSilent = false;
  const wait = tool("wait", async ({ signal }) => {
    runs.push("begun");
    if (runs.length > 1) return "done";
    isSilent = true;
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    runs.push("ended");
    return "never";
  });
  const calls = [{ name: "wait", args: {} }];
  const store = kept.plugin((lanes) => ({
    renew: (...args) => (isSilent ? new Promise(() => {}) : lanes.renew(...args)),
  }));
  const model = fakeProvider([{ calls }, { calls }, "in time"]);
  await using t = await startTestHost({ plugins: [channel.plugin, model, wait, store] });
  await t.serve();
  await write(t, "a", ["go"]);
  await passing(t, () => runs.length > 0, 10);
  const began = Date.now();
  await passing(t, () => runs.includes("ended"));
  expect(Date.now() - began).toBeLessThanOrEqual(62_000);
  expect(channel.sent).toEqual([]);
  isSilent = false;
  await passing(t, () => channel.sent.length > 0);
  expect([runs, channel.sent[0]?.text]).toEqual([["begun", "ended", "begun"], "in time"]);
});

test("ST-08: a word that the lane is held, which came late, is asked again before an answer is sent", async () => {
  const kept = storeFile();
  using _ = simulateTime();
  const channel = chat();
  let asked = 0;
  const store = kept.plugin(() => ({
    async renew() {
      asked += 1;
      // The way to the store was cut behind the question, and others took the lane meanwhile.
      if (asked === 1) await new Promise((resolve) => setTimeout(resolve, 9_000));
      return asked === 1;
    },
  }));
  await using t = await startTestHost({ plugins: [channel.plugin, fakeProvider(["twice"]), store] });
  await t.serve();
  await write(t, "a", ["go"]);
  await passing(t, () => asked > 1 || channel.sent.length > 0);
  expect(channel.sent).toEqual([]);
});

test("CHA-06: a conversation that another process has taken over keeps no turn of the caller who lost it", async () => {
  const kept = storeFile();
  let passed = 0;
  const { now, steady } = machineClock;
  const clock = { now: () => now() + passed, steady: () => steady() + passed };
  const other = createStore(kept.file, { clock });
  const takes = tool("takes", async () => {
    passed = 3_600_000;
    expect(await other.store.lanes.hold("test", 3_600_000)).toBeDefined();
    return "taken";
  });
  const model = fakeProvider([{ calls: [{ name: "takes", args: {} }] }, "too late"]);
  await using t = await startTestHost({ plugins: [model, takes, kept.plugin()] });
  await expect(t.ask("go", { session: "test" })).rejects.toMatchObject({ code: "LEASE_LOST" });
  expect(await other.store.sessions.recent("test", 5)).toEqual([]);
  await other.close();
});

test("ST-08: CHA-06: a recorded reply is not sent by who has lost the lane", async () => {
  const kept = storeFile();
  const channel = chat();
  const renewed: boolean[] = [];
  const store = kept.plugin(() => ({
    renew: async () => (renewed.push(false), false),
  }));
  await using t = await startTestHost({ plugins: [channel.plugin, fakeProvider(["hello"]), store] });
  await t.serve();
  await write(t, "a", ["hi"]);
  await expect.poll(() => renewed.length).toBeGreaterThan(0);
  await t.stop();
  expect(channel.sent).toEqual([]);
});

test("CHA-06: while an outcome cannot be written, no new turn is begun; then all goes on", async () => {
  const kept = storeFile();
  using _ = simulateTime();
  const channel = chat();
  let fails = true;
  let tried = 0;
  const store = kept.plugin((lanes) => ({
    ack: async (claim) => {
      tried += 1;
      if (fails) throw errors.STORE_FAILED("a.db", "database or disk is full");
      await lanes.ack(claim);
    },
  }));
  const model = fakeProvider(["hello"]);
  await using t = await startTestHost({ plugins: [channel.plugin, model, store] });
  await t.serve();
  await write(t, "a", ["one"]);
  await passing(t, () => tried > 0, 10);
  await write(t, "b", ["two"]);
  await passing(t, () => tried > 5, 200);
  expect([model.requests.length, channel.sent.length]).toEqual([1, 1]);
  fails = false;
  await passing(t, () => channel.sent.length === 2, 200);
  const said = t.logs.filter(({ message }) => message.includes("disk is full"));
  expect(said.map(({ level }) => level)).toEqual(["error"]);
});

const broken = async (): Promise<never> => {
  throw errors.STORE_FAILED("a.db", "the disk is full");
};

test.each(["limits", "values"] as const)(
  "INB-04: a store whose %s fail for a while, before a turn or in it, is no message's fault: nothing becomes a dead letter, and it is said once",
  async (what) => {
    const kept = storeFile();
    using _ = simulateTime();
    const channel = chat();
    let fails = true;
    const { store, close } = createStore(kept.file);
    const full = definePlugin({
      name: "store-full",
      provides: [Store],
      setup(host) {
        const { limits, values } = store;
        host.provide(Store, {
          ...store,
          limits: {
            ...limits,
            hit: (...args) => (fails && what === "limits" ? broken() : limits.hit(...args)),
          },
          values: {
            ...values,
            add: (...args) => (fails && what === "values" ? broken() : values.add(...args)),
          },
        });
        host.onDispose(close);
      },
    });
    await using t = await startTestHost({ plugins: [channel.plugin, fakeProvider(["hello"]), full] });
    await t.serve();
    for (const from of ["a", "b", "c"]) await write(t, from, ["hi"]);
    const began = Date.now();
    await passing(t, () => Date.now() > began + 600_000, 5_000);
    fails = false;
    await passing(t, () => channel.sent.length === 3);
    expect(await store.lanes.stats()).toEqual({ waiting: 0, running: 0, deadLetters: 0 });
  },
);

test("CTX-07: a sentence for the sender is sent once, also after a restart before it went out", async () => {
  const kept = storeFile();
  const failure = { code: "BAD", message: "bad request", status: 400, retry: false };
  const first = chat();
  first.answers = () => ({ status: "retry", scope: "channel", reason: "away" });
  const t1 = await startTestHost({
    plugins: [first.plugin, fakeProvider([{ failure }]), kept.plugin()],
  });
  await t1.serve();
  await write(t1, "a", ["hi"]);
  await expect.poll(() => first.asked()).toBe(1);
  await t1.stop();
  const second = chat();
  await using t2 = await startTestHost({
    plugins: [second.plugin, fakeProvider(["never"]), kept.plugin()],
  });
  await t2.serve();
  await expect.poll(() => second.sent.length).toBe(1);
  expect(second.sent[0]?.text).toContain("dead letter");
  await expect.poll(async () => (await t2.slot(Store).lanes.stats()).waiting).toBe(0);
  expect(second.sent).toHaveLength(1);
});
