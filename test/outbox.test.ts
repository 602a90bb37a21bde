import { Outbox, textParts } from "@gantry/sdk";
import { createMemoryStore, fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { expect, test, vi } from "vitest";
import { gate, redactor } from "./helpers/plugins.ts";
import { storeFile } from "./helpers/stores.ts";
import { chat, write } from "./helpers/waiting.ts";

const alert = {
  channel: "chat",
  conversation: { id: "boss", kind: "direct" },
  to: "boss",
  parts: textParts("the key sk-abc is used up"),
  key: "alert-1",
} as const;

test("CTX-07: a message of the service itself is redacted, audited, kept over a restart and sent once", async () => {
  const kept = storeFile();
  const first = chat();
  const t1 = await startTestHost({ plugins: [first.plugin, redactor(/sk-\w+/g), kept.plugin()] });
  expect(await t1.slot(Outbox).send(alert)).toBe("accepted");
  expect(t1.audit).toMatchObject([
    { event_type: "service_message", user: "chat:boss", args: { text: "the key [hidden] is used up" } },
  ]);
  await t1.stop();

  const second = chat();
  await using t2 = await startTestHost({ plugins: [second.plugin, redactor(/sk-\w+/g), kept.plugin()] });
  await t2.serve();
  await expect.poll(() => second.sent.map(({ text }) => text)).toEqual(["the key [hidden] is used up"]);
  expect(await t2.slot(Outbox).send(alert)).toBe("duplicate");
  expect(await t2.slot(Outbox).send({ ...alert, key: "alert-2" })).toBe("accepted");
  await expect.poll(() => second.sent.length).toBe(2);
});

test("CTX-07: a message of the service itself goes out while a turn of its conversation runs", async () => {
  const kept = storeFile();
  const channel = chat();
  const { opened, open } = gate();
  const model = fakeProvider([{ text: "later", after: opened }]);
  await using t = await startTestHost({ plugins: [channel.plugin, model, kept.plugin()] });
  await t.serve();
  await write(t, "boss", ["hi"]);
  await expect.poll(() => model.requests.length).toBe(1);
  await t.slot(Outbox).send(alert);
  await expect.poll(() => channel.sent.length).toBe(1);
  expect(await kept.store.lanes.stats()).toMatchObject({ running: 1 });
  open();
});

test("CTX-07: a message of the service itself for a channel that is not loaded is refused at once, and nothing waits for it", async () => {
  const kept = storeFile();
  await using t = await startTestHost({ plugins: [chat().plugin, kept.plugin()] });
  await expect(t.slot(Outbox).send({ ...alert, channel: "http" })).rejects.toMatchObject({
    code: "OUTBOX_NO_CHANNEL",
  });
  expect(await kept.store.lanes.stats()).toMatchObject({ waiting: 0 });
});

test("INB-02: a notice that the platform refuses is told in the log and is no dead letter, so nobody retries it with messages", async () => {
  const kept = storeFile();
  const channel = chat();
  channel.answers = () => ({ status: "refused", reason: "the person has left" });
  await using t = await startTestHost({ plugins: [channel.plugin, fakeProvider(["hi"]), kept.plugin()] });
  await t.serve();
  await t.slot(Outbox).send(alert);
  await write(t, "ada", ["hello"]);
  await expect.poll(async () => (await kept.store.lanes.stats()).deadLetters).toBe(1);
  await expect.poll(async () => (await kept.store.lanes.stats()).waiting).toBe(0);
  expect(channel.asked()).toBe(2);
  const dead = await kept.store.lanes.page("dead", 10);
  expect(dead.map(({ lane }) => lane)).toEqual(["chat:ada"]);
  const said = t.logs.filter(({ message }) => message.startsWith("A reply was not sent"));
  expect(said.map(({ level }) => level)).toEqual(["error", "error"]);
});

test("OPS-01: what may go unkept is sent at once where the store cannot keep it, redacted; anything else is not", async () => {
  const store = createMemoryStore();
  const channel = chat();
  await using t = await startTestHost({ plugins: [channel.plugin, redactor(/sk-\w+/g), memoryStore(store)] });
  vi.spyOn(store.lanes, "post").mockRejectedValue(new Error("the disk is full"));
  const outbox = t.slot(Outbox);
  await expect(outbox.send(alert)).rejects.toThrow("the disk is full");
  expect(await outbox.send({ ...alert, evenUnkept: true })).toBe("accepted");
  expect(channel.sent.map(({ to, text }) => [to, text])).toEqual([["boss", "the key [hidden] is used up"]]);
  channel.answers = () => ({ status: "retry", reason: "it is away too" });
  await expect(outbox.send({ ...alert, evenUnkept: true })).rejects.toThrow("the disk is full");
});
