import { ask, Approvals, type InboundMessage } from "@gantry/sdk";
import { fakeChannel, fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import alertOwner from "../plugins/alert-owner/index.ts";
import autonomy from "../plugins/guard-autonomy/index.ts";
import memory from "../plugins/tool-memory/index.ts";
import { guard, tool } from "./helpers/plugins.ts";

const asking = guard("asking", () => ask({ code: "MAYBE", message: "This changes something." }));
const ring = { calls: [{ name: "ring", args: {} }] };
const group = { conversation: { id: "team", kind: "group" }, replyTo: "team" } as const;

/**
 * A channel of which alice is the owner, and carol another; the model calls a tool that asks when
 * told to ring.
 */
async function talk() {
  const ran: string[] = [];
  const channel = fakeChannel("fake", { owners: ["alice"] });
  const model = fakeProvider([
    ({ messages }) => {
      const last = messages.at(-1);
      const isAsked = last?.role === "user" && JSON.stringify(last.parts).includes("ring");
      return isAsked ? ring : last?.role === "tool" ? "done" : "hello";
    },
  ]);
  const rings = tool("ring", async ({ user }) => String(ran.push(user)));
  const plugins = [asking, rings, channel, memoryStore(), model, alertOwner];
  const host = await startTestHost({ plugins });
  await host.serve();
  let seen = 0;
  const next = async () => {
    await channel.sentCount((seen += 1));
    return channel.sent[seen - 1]!;
  };
  const say = (from: string, text: string, more: Partial<InboundMessage> = {}) =>
    channel.receive({ from, text, replyTo: from, ...more });
  return { host, ran, next, say, pending: () => host.slot(Approvals).pending() };
}

test.each([
  ["a direct chat", {}, "bob"],
  ["a group", group, "team"],
])("FLR-20: what asks for a member in %s asks the owner alone", async (_name, place, answered) => {
  const t = await talk();
  await using _ = t.host;
  await t.say("alice", "hello");
  expect(await t.next()).toMatchObject({ to: "alice", text: "hello" });
  await t.say("bob", "ring", place);
  const question = await t.next();
  expect(question.to).toBe("alice");
  expect(question.text).toMatch(/^May ring run this\?\nCaused by fake:bob, a member\.\n/);
  const [, id = ""] = /"allow ([0-9a-f]{6})"/.exec(question.text) ?? [];
  await t.say("bob", `allow ${id}`, place);
  expect(await t.pending()).toHaveLength(1);
  await t.say("alice", "yes");
  expect(await t.next()).toMatchObject({ to: "alice", text: "hello" });
  expect([await t.pending(), t.ran]).toMatchObject([[{ trust: "member" }], []]);
  await t.say("alice", `allow ${id}`);
  expect(await t.next()).toMatchObject({ to: answered, text: "done" });
  expect(t.ran).toEqual(["fake:bob"]);
});

test("FLR-20: where no owner has written nobody is asked, and it is refused at once", async () => {
  const t = await talk();
  await using _ = t.host;
  await t.say("alice", "hello", group);
  await t.next();
  await t.say("bob", "ring");
  expect(await t.next()).toMatchObject({ to: "bob", text: "done" });
  const refused = t.host.audit.filter(({ event_type: type }) => type === "security_refusal");
  expect(refused.map(({ result }) => result)).toEqual(["refused: APPROVAL_NO_PERSON"]);
});

test("FLR-20: a yes of the owner is for that call of that member", async () => {
  const t = await talk();
  await using _ = t.host;
  await t.say("alice", "hello");
  await t.next();
  for (const from of ["bob", "dave"]) {
    await t.say(from, "ring");
    const [, id = ""] = /"deny ([0-9a-f]{6})"/.exec((await t.next()).text) ?? [];
    await t.say("alice", from === "bob" ? `allow ${id}` : `deny ${id}`);
    await t.next();
  }
  expect(t.ran).toEqual(["fake:bob"]);
});

test.each(["guest", "member"] as const)("FLR-20: a %s stores and recalls memories", async (trust) => {
  const channel = fakeChannel("fake", { owners: ["alice"] });
  const model = fakeProvider([
    { calls: [{ name: "memory_store", args: { text: "Bob likes tea." } }] },
    { calls: [{ name: "memory_recall", args: { query: "tea" } }] },
    ({ messages }) => JSON.stringify(messages.at(-1)),
    { calls: [{ name: "memory_recall", args: { query: "tea" } }] },
    ({ messages }) => JSON.stringify(messages.at(-1)),
  ]);
  const plugins = [autonomy, memory, channel, memoryStore(), model];
  await using host = await startTestHost({ plugins });
  await host.serve();
  await channel.receive({ from: "bob", text: "remember", replyTo: "bob", trust });
  await channel.sentCount(1);
  expect(channel.sent[0]?.text).toContain("Bob likes tea.");
  await channel.receive({ from: "eve", text: "what of tea?", replyTo: "eve", trust });
  await channel.sentCount(2);
  expect(channel.sent[1]?.text).not.toContain("Bob likes tea.");
});
