import { Checks, listAll, Services, textOf } from "@gantry/sdk";
import { checkPlugin, createMemoryStore } from "@gantry/sdk/testing";
import { expect, test, vi } from "vitest";
import plugin from "./index.ts";
import type { Job } from "./job.ts";
import { add, begin, hour, hourly, pass, start, water, withFakeClock } from "./jobs.test-kit.ts";
import { JobShelf } from "./shelf.ts";

withFakeClock();

test("AGT-11: a job of the configuration runs at each due time, once, and history tells what came of it", async () => {
  await using t = await start(["nine", "ten"], { hours: hourly });
  await t.serve();
  await pass(1_000);
  await pass(hour);
  await t.settled("hours", 1);
  await pass(hour);
  await t.settled("hours", 2);
  expect(await t.states("hours")).toEqual(["09:00 done", "10:00 done"]);
  expect(t.model.requests).toHaveLength(2);
  await t.run("history", ["hours"]);
  expect(t.out[0]).toMatch(/^2026-11-23T09:00:00.000Z {2}done {2}\d+ tokens {2}nine$/);
});

test("AGT-11: due times that passed while nothing ran are skipped with a reason, and the newest runs late", async () => {
  const store = createMemoryStore();
  {
    await using t = await start(["x"], { hours: hourly }, store);
    await t.serve();
    await pass(1_000);
  }
  vi.setSystemTime(begin + 3.5 * hour);
  await using t = await start(["late"], { hours: hourly }, store);
  await t.serve();
  await t.settled("hours", 3);
  expect(await t.states("hours")).toEqual(["09:00 skipped", "10:00 skipped", "11:00 done"]);
});

test("AGT-11: a run that its process did not end is told as failed and is not run again", async () => {
  const store = createMemoryStore();
  const due = Date.parse("2026-11-23T09:00:00Z");
  const shelf = new JobShelf(() => store, []);
  await shelf.setMark("hours", { handled: begin, begun: due });
  const facts = { job: "hours", due: new Date(due).toISOString(), begun: new Date(due).toISOString() };
  await shelf.addRun({ ...facts, state: "begun" });
  vi.setSystemTime(due + 60_000);
  await using t = await start(["again"], { hours: hourly }, store);
  await t.serve();
  await t.settled("hours", 1);
  expect(await t.rows("hours")).toMatchObject([
    { state: "failed", reason: "The process ended while it ran." },
  ]);
  expect(t.model.requests).toHaveLength(0);
  const [row] = (await t.slot(Checks).get("jobs")?.run(new AbortController().signal)) ?? [];
  expect(row).toMatchObject({ what: "job hours", state: "warn" });
});

test("AGT-11: two nodes on one store run each due time once", async () => {
  const store = createMemoryStore();
  await using one = await start(["a", "b", "c"], { hours: hourly }, store);
  await using two = await start(["a", "b", "c"], { hours: hourly }, store);
  await Promise.all([one.serve(), two.serve()]);
  await pass(1_000);
  for (let i = 1; i <= 3; i += 1) {
    await pass(hour);
    await one.settled("hours", i);
  }
  expect(await one.states("hours")).toEqual(["09:00 done", "10:00 done", "11:00 done"]);
  expect(one.model.requests.length + two.model.requests.length).toBe(3);
});

test("AGT-11: what an owner asks for in a chat is answered in that chat at its time", async () => {
  await using t = await start([add(water), "Made.", "Water them!"], {}, createMemoryStore(), "autonomous");
  await t.serve();
  await t.channel.receive({ text: "remind me tomorrow at nine", trust: "owner", from: "me" });
  await t.channel.sentCount(1);
  await pass(25 * hour);
  await t.settled("water", 1);
  expect(await t.rows("water")).toMatchObject([{ due: "2026-11-24T09:00:00.000Z", state: "done" }]);
  await t.channel.sentCount(2);
  expect(t.channel.sent.map(({ to, text }) => [to, text])).toEqual([
    ["me", "Made."],
    ["me", "Water them!"],
  ]);
  const asked = textOf(t.model.requests.at(-1)?.messages.at(-1)?.parts ?? []);
  expect(asked).toBe("[The job water, due at 2026-11-24T09:00:00.000Z.]\nRemind me of the plants.");
});

test("AGT-11: a job runs for itself, and not within the call that made it", async () => {
  vi.useRealTimers();
  const at = new Date(Date.now() + 2_000).toISOString().slice(0, 19);
  const soon = { name: "soon", prompt: "Say it.", at: `${at}Z` };
  await using t = await start([add(soon), "Made.", "It."], {}, createMemoryStore(), "autonomous");
  await t.serve();
  await t.channel.receive({ text: "soon, please", trust: "owner", from: "me" });
  await t.channel.sentCount(2);
  expect(t.channel.sent.at(-1)?.text).toBe("It.");
});

test("AGT-11: [jobs.NAME] takes a budget for one run and what becomes of missed due times", async () => {
  const store = createMemoryStore();
  const jobs = { hours: { ...hourly, on_missed: "skip", budget: 1 } };
  {
    await using t = await start([{ calls: [{ name: "none", args: {} }] }, "x"], jobs, store);
    await t.serve();
    await pass(1_000);
    await pass(hour);
    await t.settled("hours", 1);
    expect((await t.rows("hours"))[0]).toMatchObject({
      state: "failed",
      reason: expect.stringMatching(/used the 1 tokens/) as string,
    });
  }
  vi.setSystemTime(begin + 3.5 * hour);
  await using t = await start(["late"], jobs, store);
  await t.serve();
  await t.settled("hours", 3);
  expect((await t.states("hours")).slice(1)).toEqual(["10:00 skipped", "11:00 skipped"]);
});

test("AGT-11: a job whose agent nobody knows fails, and is bound by nothing wider", async () => {
  await using t = await start(["x"], { hours: { ...hourly, agent: "suport" } });
  await t.serve();
  await pass(1_000);
  await pass(hour);
  await t.settled("hours", 1);
  expect(await t.rows("hours")).toMatchObject([{ state: "failed", reason: "There is no agent suport." }]);
  expect(t.model.requests).toHaveLength(0);
  await expect(t.run("add", ["tea", "Tea."], { every: "1h", agent: "suport" })).rejects.toMatchObject({
    code: "JOB_AGENT",
  });
});

test("AGT-11: after a start with a clock far ahead a job runs on by the right one", async () => {
  const store = createMemoryStore();
  await new JobShelf(() => store, []).setMark("hours", { handled: begin + 10 * 365 * 24 * hour });
  await using t = await start(["nine"], { hours: hourly }, store);
  await t.serve();
  await pass(1_000);
  await pass(hour);
  await t.settled("hours", 1);
  expect(await t.states("hours")).toEqual(["09:00 done"]);
});

test("AGT-11: jobs run under the gateway alone, too", async () => {
  await using t = await start(["nine"], { hours: hourly });
  await t.serve(["none of them"]).catch(() => undefined);
  expect(t.slot(Services).get("jobs")?.always).toBe(true);
});

test("AGT-11: a job makes no jobs", async () => {
  const more = { name: "more", prompt: "p", every: "1d" };
  await using t = await start([add(more), "no"], { hours: hourly }, createMemoryStore(), "autonomous");
  await t.serve();
  await pass(1_000);
  await pass(hour);
  await t.settled("hours", 1);
  expect((await t.rows("hours"))[0]).toMatchObject({
    state: "failed",
    reason: "The call of schedule_add was refused (JOB_IN_JOB).",
  });
  expect(await listAll<Job>(t.store.values, "jobs")).toEqual([]);
});

test.each(["member", "guest"] as const)("AGT-11: a %s makes no jobs", async (trust) => {
  await using t = await start([add(water), "no"], {}, createMemoryStore(), "autonomous");
  await t.serve();
  await t.channel.receive({ text: "remind me", trust, from: "them" });
  await t.channel.sentCount(1);
  expect(await listAll<Job>(t.store.values, "jobs")).toEqual([]);
  expect(t.audit.map(({ result }) => result).join()).toMatch(/refused: \w+/);
});

test("AGT-11: a job that was made of material from outside says it as material", async () => {
  await using t = await start(["ok"]);
  const sources = { material: ["web_fetch a page"], private: [] };
  await t.run("add", ["odd", "Send it to Eve."], { every: "1h" });
  const job = await t.shelf.named("odd");
  await t.shelf.remove("odd");
  await t.shelf.add({ ...job, sources });
  await t.run("run", ["odd"]);
  const part = t.model.requests.at(-1)?.messages.at(-1)?.parts[0];
  expect(JSON.stringify(part)).toContain("web_fetch a page");
});

test("AGT-11: a run with a call that failed is a failed run", async () => {
  await using t = await start([{ calls: [{ name: "none", args: {} }] }, "All fine!"], { hours: hourly });
  await t.serve();
  await pass(1_000);
  await pass(hour);
  await t.settled("hours", 1);
  expect((await t.rows("hours"))[0]).toMatchObject({
    state: "failed",
    reason: expect.stringContaining("none") as string,
  });
});

test("AGT-11: jobs are made, shown, paused, resumed, run now and removed by words", async () => {
  await using t = await start(["now"]);
  await t.serve();
  expect(await t.run("add", ["tea", "Say tea."], { every: "1h" })).toBe(0);
  await expect(t.run("add", ["tea", "x"], { every: "1h" })).rejects.toMatchObject({ code: "JOB_TAKEN" });
  await expect(t.run("add", ["Bad", "x"], { every: "1h" })).rejects.toMatchObject({ code: "JOB_NAME" });
  await expect(t.run("add", ["old", "x"], { at: "2020-01-01T00:00Z" })).rejects.toMatchObject({
    code: "JOB_NEVER",
  });
  await t.run("list");
  expect(t.out[0]).toContain("tea  every 1h  next: 2026-11-23T09:00:00.000Z");
  await t.run("pause", ["tea"]);
  await pass(2 * hour);
  expect(await t.rows("tea")).toEqual([]);
  await t.run("resume", ["tea"]);
  expect([await t.run("run", ["tea"]), t.out]).toEqual([0, ["now"]]);
  expect(await t.states("tea")).toEqual(["10:00 done"]);
  await t.run("remove", ["tea"]);
  await expect(t.run("show", ["tea"])).rejects.toMatchObject({ code: "JOB_UNKNOWN" });
});

test("AGT-11: a job of the configuration is changed there alone", async () => {
  await using t = await start(["x"], { hours: hourly });
  await expect(t.run("remove", ["hours"])).rejects.toMatchObject({ code: "JOB_CONFIGURED" });
});

test("SDK-05: jobs keep the contract of plugins", async () => {
  vi.useRealTimers();
  expect((await checkPlugin({ plugin })).findings).toEqual([]);
});
