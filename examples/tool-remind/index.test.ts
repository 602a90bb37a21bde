import {
  checkPlugin,
  createMemoryStore,
  fakeChannel,
  fakeProvider,
  memoryStore,
  startTestHost,
} from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import plugin from "./index.ts";

const config = { plugins_config: { "tool-remind": { every_ms: 10 } } };
const wish = { calls: [{ name: "remind", args: { minutes: 0, text: "The cake is done." } }] };

test("SDK-15: a reminder is said in the chat that it was asked for in, after a restart too", async () => {
  const store = memoryStore(createMemoryStore());
  const channel = fakeChannel("fake", { owners: ["alice"] });
  const first = await startTestHost({
    plugins: [plugin, channel, fakeProvider([wish, "Yes."]), store],
    config,
  });
  await first.serve([]);
  await channel.receive({
    text: "remind me",
    conversation: { id: "kitchen", kind: "group", thread: "cakes" },
    replyTo: "kitchen/cakes",
  });
  await channel.sentCount(1);
  await first.stop();
  expect(channel.sent).toEqual([{ to: "kitchen/cakes", text: "Yes." }]);

  await using second = await startTestHost({ plugins: [plugin, channel, store], config });
  await second.serve();
  await channel.sentCount(2);
  expect(channel.sent[1]).toEqual({ to: "kitchen/cakes", text: "The cake is done." });
});

test("SDK-15: where there is no chat, as at the terminal, a reminder says so", async () => {
  await using t = await startTestHost({
    plugins: [plugin, memoryStore(), fakeProvider([wish, "ok"])],
    config,
  });
  expect((await t.call("remind", { minutes: 1, text: "x" })).text).toMatch(/^There is no chat here/);
});

test("SDK-05: the reminder starts, stops and gives back what it took", async () => {
  expect((await checkPlugin({ plugin, config })).findings).toEqual([]);
});
