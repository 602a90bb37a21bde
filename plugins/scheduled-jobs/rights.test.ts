import { ask, Channels, definePlugin, directMessage, Inbox, textParts } from "@gantry/sdk";
import { createMemoryStore } from "@gantry/sdk/testing";
import { expect, test, vi } from "vitest";
import { guard, tool } from "../../test/helpers/plugins.ts";
import { Devices } from "../gateway-http/devices.ts";
import gateway from "../gateway-http/index.ts";
import { add, hour, hourly, pass, start, withFakeClock } from "./jobs.test-kit.ts";

withFakeClock();
const ring = tool("ring", async () => "It rang.");

test("AGT-11: a job whose maker is not an owner any more does not run, and the chat is told once", async () => {
  const owners = ["me"];
  const every = add({ name: "sums", prompt: "Add up.", every: "1h" });
  await using t = await start([every, "Made.", "Sums."], {}, createMemoryStore(), "autonomous", owners);
  await t.serve();
  await t.channel.receive({ text: "add up hourly", trust: "owner", from: "me" });
  await t.channel.sentCount(1);
  await pass(hour);
  await t.settled("sums", 1);
  const asked = t.model.requests.length;
  owners.length = 0;
  await pass(hour);
  await t.settled("sums", 2);
  await pass(hour);
  await t.settled("sums", 3);
  const lost = { state: "failed", reason: "fake:me is not an owner any more." };
  expect(await t.rows("sums")).toMatchObject([{ state: "done" }, lost, lost]);
  expect(t.model.requests).toHaveLength(asked);
  const told = "The job sums failed: fake:me is not an owner any more.";
  await vi.waitFor(() => expect(t.channel.sent.map(({ text }) => text)).toEqual(["Made.", "Sums.", told]));
});

test.each([
  ["a member", "them", "failed"],
  ["an owner", "me", "done"],
])("AGT-11: a job that is told to %s has the rights of one", async (_, to, state) => {
  const jobs = { hours: { ...hourly, channel: "fake", to } };
  const replies = [{ calls: [{ name: "lock", args: {} }] }, "Locked."];
  const lock = tool("lock", async () => "It is locked.", { may: "decide" });
  await using t = await start(replies, jobs, createMemoryStore(), "autonomous", ["me"], [lock]);
  await t.serve();
  await pass(1_000);
  await pass(hour);
  await t.settled("hours", 1);
  expect((await t.rows("hours"))[0]).toMatchObject({ state });
});

test("AGT-11: a call that would need a yes fails its run, and the chat of the job reads why", async () => {
  const jobs = { hours: { ...hourly, channel: "fake", to: "me" } };
  const replies = [{ calls: [{ name: "ring", args: {} }] }, "I rang."];
  const asks = guard("asking", () => ask({ code: "MAYBE", message: "It is loud." }));
  await using t = await start(replies, jobs, createMemoryStore(), "supervised", ["me"], [asks, ring]);
  await t.serve();
  await pass(1_000);
  await pass(hour);
  await t.settled("hours", 1);
  const reason =
    "The call of ring was refused (APPROVAL_NO_PERSON): nobody is asked while a job runs, so allow it by a rule or do it in a conversation.";
  expect((await t.rows("hours"))[0]).toMatchObject({ state: "failed", reason });
  await vi.waitFor(() => expect(t.channel.sent.at(-1)?.text).toBe(`The job hours failed: ${reason}`));
});

test("AGT-11: a job that a device has made does not run once the device is revoked", async () => {
  const store = createMemoryStore();
  const devices = new Devices(store.values);
  const { device } = await devices.add("phone");
  const every = add({ name: "sums", prompt: "Add up.", every: "1h" });
  await using t = await start([every, "Made.", "Sums."], {}, store, "autonomous", undefined, [gateway]);
  await t.serve();
  const caller = { device: device.device_id, may: device.may };
  const told = { channel: "http", id: "1", sender: { id: device.device_id }, replyTo: null, timestamp: 1 };
  const place = { conversation: { id: device.device_id, kind: "direct" }, trust: "owner", caller } as const;
  await t
    .slot(Inbox)
    .prompt(
      { ...told, ...place, parts: textParts("add up hourly") },
      { approvals: "none", signal: new AbortController().signal },
    );
  await pass(hour);
  await t.settled("sums", 1);
  await devices.revoke(device.device_id);
  await pass(hour);
  await t.settled("sums", 2);
  const reason = `http:${device.device_id} may not write here any more.`;
  expect(await t.rows("sums")).toMatchObject([{ state: "done" }, { state: "failed", reason }]);
});

/** A channel written by hand, which trusts ada and tells nothing of its people. */
const untold = definePlugin({
  name: "channel-untold",
  provides: [Channels],
  setup: (host) => host.provide(Channels, { name: "untold", send: async () => ({ status: "sent" }) }),
});

test.each([
  ["runs for whom [people] names", { ada: { role: "owner", untold: ["ada"] } }, ["sums"]],
  ["is not made for a member", { ada: { role: "member", untold: ["ada"] } }, []],
  ["is not made for anybody else", { eve: { role: "owner", untold: ["eve"] } }, []],
])("AGT-11: a job of a channel that does not tell who may write %s", async (_, people, made) => {
  const every = add({ name: "sums", prompt: "Add up.", every: "1h" });
  const others = [untold];
  await using t = await start(
    [every, "Yes.", "3"],
    {},
    createMemoryStore(),
    "autonomous",
    [],
    others,
    people,
  );
  await t.serve();
  const ada = { channel: "untold", id: "1", from: "ada", trust: "owner" } as const;
  await t.slot(Inbox).receive([directMessage({ ...ada, text: "add up hourly" })]);
  await vi.waitFor(() => expect(t.model.requests).toHaveLength(2));
  expect((await t.shelf.all()).map(({ name }) => name)).toEqual(made);
  await pass(hour);
  for (const name of made) {
    await t.settled(name, 1);
    expect(await t.rows(name)).toMatchObject([{ state: "done" }]);
  }
});
