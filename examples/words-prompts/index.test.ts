import { textOf } from "@gantry/sdk";
import { checkPlugin, fakeChannel, fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import plugin from "./index.ts";

const review = { say: "Review this:", how: "Be strict." };
const config = { plugins_config: { "words-prompts": { prompts: { review, note: {} } } } };

test("SDK-16: a word says its prompt to the model, in a chat and at the terminal", async () => {
  const channel = fakeChannel("fake");
  const model = fakeProvider(["Fine."]);
  await using t = await startTestHost({ plugins: [plugin, channel, model, memoryStore()], config });
  await t.serve();
  await channel.receive({ text: "/review my poem" });
  await channel.sentCount(1);
  expect((await t.ask("/review my song")).reply).toBe("Fine.");
  const asked = model.requests.map(({ messages }) => messages.map(({ parts }) => textOf(parts)));
  expect(asked.map((texts) => texts.at(-1))).toEqual(["Review this:\n\nmy poem", "Review this:\n\nmy song"]);
  for (const [system] of asked) expect(system).toContain("Be strict.");
  expect((await t.ask("/note")).reply).toMatch(/^\/note says nothing/);
});

test("SDK-05: the words keep the contract of chat commands", async () => {
  expect((await checkPlugin({ plugin, config })).findings).toEqual([]);
});
