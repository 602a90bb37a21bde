import { Channels } from "@gantry/sdk";
import { fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { directOf, group, named, owner, startSlack } from "./slack.test-kit.ts";

test("SL-16: CC-16: while a turn runs, a status stands in its thread and goes with it; elsewhere a reaction that is taken back", async () => {
  const { promise: later, resolve: go } = Promise.withResolvers<void>();
  await using t = await startSlack({
    plugins: [memoryStore(), fakeProvider([{ text: "done", after: later }])],
  });
  const top = await t.say(`${named} go`, { channel: group });
  const direct = await t.say("go");
  await t.api.until(() => t.api.of("assistant.threads.setStatus").length === 1 && t.api.reactions.size === 1);
  expect(t.api.of("assistant.threads.setStatus")[0]?.params).toEqual({
    channel_id: group,
    thread_ts: top,
    status: "is working on it…",
  });
  expect([...t.api.reactions]).toEqual([`${directOf(owner)} ${direct} hourglass_flowing_sand`]);
  go();
  await t.api.sent(2);
  await t.api.until(() => t.api.reactions.size === 0);
  await t.api.until(() => t.api.of("assistant.threads.setStatus").at(-1)?.params["status"] === "");
});

test("SL-16: an app that has no status shows a reaction in threads too, and asks for a status once", async () => {
  await using t = await startSlack({ serves: false });
  const { working } = t.host.slot(Channels).get("slack")!;
  t.api.failures.push({ method: "assistant.threads.setStatus", error: "unknown_method" });
  const message = t.api.say(group, { user: owner, text: "go" });
  for (let i = 1; i <= 2; i += 1) {
    const over = new AbortController();
    const shown = working!({ channel: group, thread: message, message }, over.signal);
    await t.api.until(() => t.api.reactions.size === 1);
    over.abort();
    await shown;
    expect(t.api.reactions.size).toBe(0);
  }
  expect(t.api.of("assistant.threads.setStatus")).toHaveLength(1);
});

test("SL-16: a reaction that a killed process has left is taken back with the turn; what is no address shows nothing", async () => {
  await using t = await startSlack({ serves: false });
  const { working } = t.host.slot(Channels).get("slack")!;
  const channel = directOf(owner);
  const message = t.api.say(channel, { user: owner, text: "go" });
  t.api.reactions.add(`${channel} ${message} hourglass_flowing_sand`);
  const over = new AbortController();
  const shown = working!({ channel, message }, over.signal);
  await t.api.until(() => t.api.of("reactions.add").length === 1);
  over.abort();
  await shown;
  await working!("nowhere", AbortSignal.timeout(60_000));
  expect([t.api.reactions.size, t.api.of("reactions.remove").length]).toEqual([0, 1]);
});
