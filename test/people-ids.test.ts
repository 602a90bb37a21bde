import { Channels, definePlugin, People, type Channel } from "@gantry/sdk";
import { fakeChannel, fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";

const send = async () => ({ status: "sent" }) as const;

test.each<[string, (written: string) => unknown]>([
  [
    "throws",
    () => {
      throw new Error("no id");
    },
  ],
  ["gives a number", () => 7],
  ["gives a promise", async (written) => written],
])("SDK-21: a channel whose idOf %s has no such id", async (_, idOf) => {
  const channel = definePlugin({
    name: "channel-odd",
    summary: "A channel that cannot read ids.",
    provides: [Channels],
    setup(host) {
      host.provide(Channels, { name: "odd", send, idOf: idOf as NonNullable<Channel["idOf"]> });
    },
  });
  const plugins = [channel, memoryStore(), fakeProvider(["ok"])];
  const people = { ada: { role: "owner", odd: ["ada"] } };
  await expect(startTestHost({ plugins, config: { people } })).rejects.toMatchObject({
    code: "CONFIG_WRONG_TYPE",
    message: expect.stringContaining("holds `ada`, which is not an id of odd") as string,
  });
});

test("SDK-21: nobody of [people] has a role at a channel that is not loaded", async () => {
  const plugins = [fakeChannel(), memoryStore(), fakeProvider(["ok"])];
  const people = { ada: { role: "owner", fake: ["ada"], telegram: [42] } };
  await using t = await startTestHost({ plugins, config: { people } });
  const roles = (channel: string) => [...t.slot(People).roles(channel)];
  expect([roles("fake"), roles("telegram")]).toEqual([[["ada", "owner"]], []]);
});
