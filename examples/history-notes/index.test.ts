import { Store, textOf } from "@gantry/sdk";
import { checkPlugin, fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import plugin from "./index.ts";

test("SDK-10: what is old becomes notes, once for many turns, and people still read all of it", async () => {
  const notes = "- the dog is called Rex";
  const model = fakeProvider([
    ({ messages }) => (textOf(messages.at(-1)?.parts ?? []).includes("must be remembered") ? notes : "yes"),
  ]);
  const config = { plugins_config: { "history-notes": { most: 12 } } };
  await using t = await startTestHost({ plugins: [plugin, model, memoryStore()], config });
  for (let i = 0; i < 12; i += 1) await t.ask(i === 0 ? "my dog is called Rex" : `question ${i}`);
  const sent = model.requests.at(-1)?.messages ?? [];
  expect(textOf(sent[1]?.parts ?? [])).toContain(notes);
  expect(sent.length).toBeLessThan(16);
  expect(textOf(sent.at(-1)?.parts ?? [])).toContain("question 11");
  const summaries = model.requests.filter(({ messages }) =>
    textOf(messages.at(-1)?.parts ?? []).includes("must be remembered"),
  );
  expect(summaries.length).toBeLessThan(4);
  const [session] = await t.slot(Store).sessions.list(1);
  const kept = await t.slot(Store).sessions.recent(session?.id ?? "", 50);
  expect(textOf(kept[0]?.parts ?? [])).toContain("my dog is called Rex");
});

test("SDK-05: the history starts, stops and gives back what it took", async () => {
  expect((await checkPlugin({ plugin })).findings).toEqual([]);
});
