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

const config = {
  plugins_config: {
    "scheduler-digest": { at: "00:00", question: "What is new?", channel: "fake", to: "ada", every_ms: 10 },
  },
};

test("SDK-10: a day's answer is asked for once and said once, over looks, nodes and a restart", async () => {
  const channel = fakeChannel("fake", { owners: ["ada"] });
  const model = fakeProvider(["Nothing."]);
  const store = memoryStore(createMemoryStore());
  const start = () => startTestHost({ plugins: [plugin, channel, model, store], config });
  await using first = await start();
  await using second = await start();
  await first.serve();
  await second.serve();
  await expect.poll(() => channel.sent.length).toBe(1);
  await first.stop();
  await using third = await start();
  await third.serve();
  // A look of the third one's own, which finds the day done.
  await new Promise((resolve) => setImmediate(resolve));
  expect(channel.sent.map(({ text }) => text)).toEqual(["Nothing."]);
  expect(model.requests).toHaveLength(1);
  expect(model.requests[0]?.tools).toEqual([]);
});

test("SDK-05: the scheduler starts, stops and gives back what it took", async () => {
  expect((await checkPlugin({ plugin, config })).findings).toEqual([]);
});
