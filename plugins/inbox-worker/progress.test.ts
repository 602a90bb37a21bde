import {
  Channels,
  definePlugin,
  directMessage,
  Inbox,
  textOf,
  type Channel,
  type Json,
  type TurnEvent,
} from "@gantry/sdk";
import { channelContract, fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { expect, test, vi } from "vitest";
import { gate, tool } from "../../test/helpers/plugins.ts";

const call = { calls: [{ name: "slow", args: { secret: "mine" } }] };

/** A channel whose platform keeps what each message says now. */
function editing(more: Partial<Channel> = {}) {
  const says = new Map<string, string>();
  const log: string[] = [];
  const events: [TurnEvent["type"], Json][] = [];
  const channel: Channel = {
    name: "rooms",
    async send({ parts }) {
      const id = `m${says.size}`;
      says.set(id, textOf(parts));
      log.push(`${id} ${textOf(parts)}`);
      return { status: "sent", id };
    },
    async edit({ id, parts }) {
      if (!says.has(id)) return { status: "refused", reason: "there is no such message" };
      says.set(id, textOf(parts));
      log.push(`${id} ${textOf(parts)}`);
      return { status: "sent", id };
    },
    onTurnEvent: (event, to) => void events.push([event.type, to]),
    ...more,
  };
  const plugin = definePlugin({
    name: "channel-rooms",
    provides: [Channels],
    setup: (host) => void host.provide(Channels, channel),
  });
  return { plugin, channel, says, log, events };
}

async function started(rooms: ReturnType<typeof editing>, config: Readonly<Record<string, unknown>>) {
  const gates = [gate(), gate()];
  let at = 0;
  const slow = tool("slow", async () => (await gates[at++]?.opened, "done"));
  const model = fakeProvider([call, call, "the answer"]);
  const t = await startTestHost({ plugins: [rooms.plugin, slow, model, memoryStore()], config });
  await t.serve();
  const message = directMessage({ channel: "rooms", id: "1", from: "ada", text: "go", trust: "owner" });
  await t.slot(Inbox).receive([message]);
  return { t, gates };
}

test("SDK-08: a long turn shows what it does in one message, which is edited, and the answer comes as a message of its own", async () => {
  const rooms = editing();
  const { t, gates } = await started(rooms, { agent: { progress_seconds: 0.05 } });
  await using _ = t;
  await vi.waitFor(() => expect(rooms.log).toEqual(["m0 Working: slow …"]), 45_000);
  gates[0]?.open();
  await vi.waitFor(() => expect(rooms.log).toContain("m0 Working: slow, after 1 call …"), 45_000);
  gates[1]?.open();
  await vi.waitFor(() => expect(rooms.log.at(-1)).toBe("m1 the answer"), 45_000);
  expect(Object.fromEntries(rooms.says)).toEqual({ m0: "Worked: 2 calls.", m1: "the answer" });
  expect(rooms.log.join()).not.toContain("mine");
});

test("SDK-08: a channel is told of the steps of a turn that came in durably, whatever it makes of them; without time or edits nothing is shown", async () => {
  for (const [more, seconds] of [
    [{}, 0],
    [{ edit: undefined }, 0.01],
  ] as const) {
    const rooms = editing(more as Partial<Channel>);
    const told = rooms.channel.onTurnEvent;
    const throwing = Object.assign(rooms.channel, {
      onTurnEvent: (event: TurnEvent, to: Json) => {
        told?.(event, to);
        throw new Error("no matter");
      },
    });
    expect(throwing).toBe(rooms.channel);
    const { t, gates } = await started(rooms, { agent: { progress_seconds: seconds } });
    await using _ = t;
    for (const one of gates) one.open();
    await vi.waitFor(() => expect(rooms.log).toEqual(["m0 the answer"]), 45_000);
    const kinds = rooms.events.map(([type]) => type);
    expect(kinds.filter((type) => type === "tool_call" || type === "tool_result")).toHaveLength(4);
    expect(new Set(rooms.events.map(([, to]) => to))).toEqual(new Set(["ada"]));
  }
});

test("SDK-08: a progress message that cannot be sent or edited holds up no answer", async () => {
  const rooms = editing({ edit: async () => ({ status: "refused", reason: "too late" }) });
  const { t, gates } = await started(rooms, { agent: { progress_seconds: 0.05 } });
  await using _ = t;
  await vi.waitFor(() => expect(rooms.log).toHaveLength(1), 45_000);
  for (const one of gates) one.open();
  await vi.waitFor(() => expect(rooms.log.at(-1)).toBe("m1 the answer"), 45_000);
});

const broken: readonly (readonly [what: string, more: Partial<Channel>])[] = [
  ["edits, and names no message that it sent", { send: async () => ({ status: "sent" }) }],
  ["does not edit what it sent", { edit: async () => ({ status: "refused", reason: "never" }) }],
  ["answered an edit", { edit: async () => Promise.reject(new Error("thrown")) }],
  ["answered an edit", { edit: async () => undefined as never }],
  [
    "threw at the turn event",
    {
      onTurnEvent: ({ type }) => {
        if (type !== "thinking") throw new Error(type);
      },
    },
  ],
];
test.each(broken)("SDK-05: a channel that %s is caught with a sentence", async (what, more) => {
  const { channel } = editing(more);
  const said: string[] = [];
  for (const { run } of channelContract({ channel, to: "ada" }))
    await run().catch((error: Error) => said.push(error.message));
  expect(said.join("\n")).toContain(`The channel rooms ${what}`);
  expect(said).toHaveLength(1);
});

test("SDK-05: a channel that edits well keeps its contract; one whose edit is no function does not load", async () => {
  const { channel } = editing();
  for (const { run } of channelContract({ channel, to: "ada" })) await run();
  const { plugin } = editing({ edit: "yes" as never });
  await expect(startTestHost({ plugins: [plugin] })).rejects.toThrow("gives as edit what is no function");
});
