import { directMessage, textOf } from "@gantry/sdk";
import { fakeProvider, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { storeFile } from "../../test/helpers/stores.ts";
import { chat } from "../../test/helpers/waiting.ts";
import { createStore } from "../store-sqlite/store.ts";

/** Returns what model and audit are told of a message that was begun so often before. */
async function toldAfter(begins: number) {
  const kept = storeFile();
  const message = directMessage({ channel: "chat", id: "m", from: "a", text: "go", trust: "member" });
  const { store, close } = createStore(kept.file);
  await store.lanes.accept([message], {});
  for (let begun = 0; begun < begins; begun += 1) {
    // The process ends over it: its hold lapses, and nothing came of the message.
    const held = async () => (await store.lanes.claim(1, 1)).length;
    await expect.poll(held).toBe(1);
  }
  await close();

  const channel = chat();
  const model = fakeProvider(["hello"]);
  await using t = await startTestHost({ plugins: [channel.plugin, model, kept.plugin()] });
  await t.serve();
  await expect.poll(() => channel.sent.length).toBe(1);
  return {
    asked: textOf(model.requests[0]?.messages.at(-1)?.parts ?? []),
    recorded: t.audit.filter(({ result }) => result === "turn_begins_again"),
  };
}

test("ST-16: a turn that begins again tells the model that its tools may have run", async () => {
  const { asked } = await toldAfter(1);
  expect(asked).toMatch(/^\[The service ended while it worked on this message[^]*go$/);
});

test("ST-16: a turn that begins again is recorded with its person before it runs", async () => {
  const { recorded } = await toldAfter(2);
  expect(recorded).toMatchObject([
    { event_type: "anomaly", user: "chat:a", args: { message: "m", begun: 3 } },
  ]);
});

test("ST-16: a turn that begins for the first time tells nothing of that", async () => {
  const { asked, recorded } = await toldAfter(0);
  expect(asked).toBe("go");
  expect(recorded).toEqual([]);
});
