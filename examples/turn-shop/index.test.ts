import { textOf } from "@gantry/sdk";
import { checkPlugin, fakeChannel, fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import plugin from "./index.ts";

const config = { plugins_config: { "turn-shop": { channel: "fake", conversation: "shop" } } };

test("SDK-10: the prompt names the hours, a command counts what was answered, and a long past is cut before a person's words", async () => {
  const model = fakeProvider(["ok"]);
  await using t = await startTestHost({ plugins: [plugin, model, memoryStore()], config });
  for (let i = 0; i < 30; i += 1) await t.ask(`question ${i}`);
  expect((await t.ask("/answers")).reply).toBe("30 so far.");
  const [system, first, ...rest] = model.requests.at(-1)?.messages ?? [];
  expect(textOf(system?.parts ?? [])).toContain("open from 9 to 17 h");
  expect([first?.role, rest.length < 45]).toEqual(["user", true]);
});

test("SDK-10: an announcement goes out once through the service's own outbox, and only for the owner", async () => {
  const channel = fakeChannel("fake", { owners: ["ada"] });
  await using t = await startTestHost({
    plugins: [plugin, channel, fakeProvider(["ok"]), memoryStore()],
    config,
  });
  await t.serve();
  await channel.receive({ text: "/announce We close early.", from: "eve" });
  await channel.receive({ text: "/announce We close early.", from: "ada" });
  await channel.receive({ text: "/announce We close early.", from: "ada" });
  await expect.poll(() => channel.sent.length).toBe(4);
  const said = channel.sent.map(({ text }) => text);
  expect(said.filter((text) => text.startsWith("There is no command /announce for you"))).toHaveLength(1);
  expect(said).toEqual(
    expect.arrayContaining(["It goes out now.", "That was announced already.", "We close early."]),
  );
});

test("SDK-10: the plugin keeps the contract of its kinds", async () => {
  expect((await checkPlugin({ plugin })).findings).toEqual([]);
});
