import { textOf } from "@gantry/sdk";
import {
  bundledPlugin,
  checkPlugin,
  fakeChannel,
  fakeProvider,
  memoryStore,
  startTestHost,
} from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import plugin from "./index.ts";

const args = { question: "Which cake?", choices: ["lemon", "plum"] };
const wish = { calls: [{ name: "ask_person", args }] };

test("SDK-15: the model asks its person, who chooses by a word in their chat", async () => {
  const channel = fakeChannel("fake", { owners: ["alice"] });
  const model = fakeProvider([wish, "Plum it is."]);
  const questions = await bundledPlugin("ask-words");
  await using t = await startTestHost({ plugins: [plugin, questions, channel, model, memoryStore()] });
  await t.serve();
  await channel.receive({ text: "bake" });
  await channel.sentCount(1);
  expect(channel.sent[0]?.text).toContain("| Which cake?\n| choice (lemon, plum)");
  await channel.receive({ text: "cheese" });
  await channel.sentCount(2);
  expect(channel.sent[1]?.text).toMatch(/^The answer does not fit/);
  await channel.receive({ text: "plum" });
  await channel.sentCount(3);
  expect(channel.sent[2]?.text).toBe("Plum it is.");
  expect(textOf(model.requests[1]?.messages.at(-1)?.parts ?? [])).toContain("\nplum\n");
});

test("SDK-15: where nobody can be asked, the model is told so", async () => {
  await using t = await startTestHost({ plugins: [plugin] });
  const asked = await t.call("ask_person", args, { approvals: "yes" });
  expect(asked).toMatchObject({ text: "Nobody can be asked here." });
});

test("SDK-05: the tool keeps its contract", async () => {
  expect((await checkPlugin({ plugin })).findings).toEqual([]);
});
