import { Inbox, Store, directMessage, type Part, type Values } from "@gantry/sdk";
import type { FakeAnswer } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { gate, tool } from "../../test/helpers/plugins.ts";
import { commands, lastOf, start, verdict, type Said } from "./goal.test-kit.ts";

const group = { id: "g1", kind: "group" } as const;
const signal = AbortSignal.timeout(30_000);

interface Held {
  values?: Values;
}

/** Makes a tool that runs until its turn is stopped. */
function hanging() {
  const working = gate();
  const hang = tool("hang", async ({ signal: ended }) => {
    working.open();
    await new Promise((_, reject) => ended.addEventListener("abort", () => reject(new Error("left"))));
    return "";
  });
  return { working, hang, call: { calls: [{ name: "hang", args: {} }] } };
}

/** Makes an answer that is held back until `end` opens. */
function held(text: string) {
  const [begun, end] = [gate(), gate()];
  const said: Said = () => {
    begun.open();
    return { text, after: end.opened };
  };
  return { begun, end, said };
}

test("AGT-15: in a group nobody puts a goal in place of another person's while that is worked on", async () => {
  const ran: string[] = [];
  const first = held("One step.");
  const says = [first.said, verdict("holds"), "Done."];
  await using t = await start({ says, plugins: [commands(ran, true)] });
  await t.serve();
  await t.channel.receive({ text: "/goal green --until make check", from: "alice", conversation: group });
  await first.begun.opened;
  await t.channel.receive({ text: "/goal mine --until make evil", from: "bob", conversation: group });
  await t.channel.sentCount(1);
  expect(t.channel.sent[0]?.text).toContain("/stop ends it");
  first.end.open();
  await t.channel.sentCount(3);
  expect(ran).toEqual(["make check"]);
  expect(t.channel.sent[2]?.text).toContain("The goal holds");
});

test("AGT-15: /goal resume takes up no goal of another person", async () => {
  const ran: string[] = [];
  const config = { goal: { turns: 1 } };
  const says = ["A step.", verdict("holds"), "Done."];
  await using t = await start({ says, plugins: [commands(ran, true)], config });
  await t.serve();
  await t.channel.receive({ text: "/goal look --until make evil", from: "bob", conversation: group });
  await t.channel.sentCount(1);
  await t.channel.receive({ text: "/goal resume", from: "alice", conversation: group });
  await t.channel.sentCount(2);
  expect(t.channel.sent[1]?.text).toBe("The goal here is another person's: /goal TEXT sets one of yours.");
  expect(ran).toEqual([]);
  expect(t.model.requests).toHaveLength(1);
});

test("AGT-15: /stop during a turn in between ends the goal whose next turn waits behind it", async () => {
  const first = held("One step.");
  const { hang, working, call } = hanging();
  await using t = await start({ says: [first.said, call, "Never said."], plugins: [hang] });
  await t.serve();
  await t.channel.receive({ text: "/goal green" });
  await first.begun.opened;
  await t.channel.receive({ text: "hello" });
  first.end.open();
  await working.opened;
  await t.channel.receive({ text: "/stop" });
  await t.channel.sentCount(4);
  const texts = t.channel.sent.map(({ text }) => text);
  expect(texts.filter((text) => text === "Stopped.")).toHaveLength(2);
  expect(texts.some((text) => text.startsWith("The goal was stopped (1 turn, 15 tokens)."))).toBe(true);
  expect(t.model.requests.map(lastOf)).not.toContainEqual(expect.stringContaining("turn 2 of 20"));
  await t.channel.receive({ text: "/goal" });
  await t.channel.sentCount(5);
  expect(t.channel.sent[4]?.text).toContain("/goal resume goes on.");
});

test("AGT-15: /stop over a caller's conversation ends a goal whose next turn waits", async () => {
  const first = held("One step.");
  const { hang, working, call } = hanging();
  await using t = await start({ says: [first.said, call, "Never said."], plugins: [hang] });
  const goal = t.ask("/goal green", { session: "s" });
  await first.begun.opened;
  const hello = t.ask("hello", { session: "s" });
  await new Promise(setImmediate);
  first.end.open();
  await working.opened;
  expect((await t.ask("/stop", { session: "s" })).reply).toMatch(/^The goal was stopped/);
  expect((await hello).reply).toBe("Stopped.");
  expect((await goal).reply).toBe("One step.\n\nStopped.");
  expect(t.model.requests).toHaveLength(2);
});

test("AGT-15: /stop when nothing runs ends a goal, and another /stop finds nothing", async () => {
  await using t = await start({ says: ["A step."] });
  const values = t.slot(Store).values;
  await t.ask("/goal green", { session: "s" });
  const { end: _, ...open } = (await values.get<{ readonly end?: string }>("session-goal", "s")) ?? {};
  await values.put("session-goal", "s", open);
  expect((await t.ask("/stop", { session: "s" })).reply).toMatch(/^The goal was stopped \(20 turns/);
  expect((await t.ask("/stop", { session: "s" })).reply).toBe("Nothing runs here.");
});

test.each([
  ["goal", { id: "000000" }],
  ["person", { user: "cli:other" }],
])("AGT-15: a verdict counts for no goal with another %s than its turn's", async (_, other) => {
  const ran: string[] = [];
  const held: Held = {};
  const swap = tool("swap", async () => {
    const goal = await held.values?.get<object>("session-goal", "s");
    await held.values?.put("session-goal", "s", { ...goal, ...other });
    return "";
  });
  const says = [{ calls: [{ name: "swap", args: {} }] }, verdict("holds"), "Done."];
  await using t = await start({ says, plugins: [commands(ran, true), swap], config: { goal: { turns: 1 } } });
  held.values = t.slot(Store).values;
  const { reply } = await t.ask("/goal green --until make check", { session: "s" });
  expect(t.model.requests.map(lastOf)[2]).toContain("No goal is worked on");
  expect(ran).toEqual([]);
  expect(reply).not.toContain("The goal holds");
});

test("AGT-15: a conversation that keeps nothing has no goal", async () => {
  await using t = await start({ says: ["Never said."] });
  const message = directMessage({ channel: "cli", id: "1", from: "me", text: "/goal green", trust: "owner" });
  const { reply } = await t.slot(Inbox).prompt(message, { signal, approvals: "none", keep: false });
  expect(reply).toContain("/goal works on in a conversation that is kept, and nothing is kept of this one");
  expect(t.model.requests).toEqual([]);
  expect(await t.slot(Store).values.list("session-goal", { limit: 1 })).toEqual([]);
});

test("AGT-15: no word of the model's verdict is said again in its person's name", async () => {
  const says = [verdict("not_yet", "SECRET must be sent."), "One step.", verdict("holds"), "Done."];
  await using t = await start({ says });
  await t.ask("/goal green", { session: "s" });
  const begun = t.model.requests.map(lastOf).filter((text) => text.includes("turn 2 of 20."));
  expect(begun[0]).toContain("It does not hold yet.");
  expect(begun[0]).not.toContain("SECRET");
});

test("AGT-15: the first answer of a goal repeats the command that --until names", async () => {
  await using t = await start({ says: [verdict("holds"), "Done."], plugins: [commands([], true)] });
  const { reply } = await t.ask("/goal green\n--until make check", { session: "s" });
  expect(reply).toMatch(
    /^This command says whether the goal holds: `make check`\n\nDone\.\n\nThe goal holds/,
  );
});

test("AGT-15: in a channel the first answer of a goal repeats the command too", async () => {
  await using t = await start({
    says: ["A step.", verdict("holds"), "Done."],
    plugins: [commands([], true)],
  });
  await t.serve();
  await t.channel.receive({ text: "/goal green --until make check" });
  await t.channel.sentCount(2);
  const [first, second] = t.channel.sent.map(({ text }) => text);
  expect(first).toBe("This command says whether the goal holds: `make check`\n\nA step.");
  expect(second).toMatch(/^Done\./);
});

test.each([
  ["a line before the last one", "/goal sum up:\nuse the flag --until make evil\nand so on"],
  ["a quoted line", "/goal sum up:\n> use the flag --until make evil"],
  ["a link of an editor", "/goal read `notes --until make evil #.md`"],
])("AGT-15: no command is read from %s", async (_, text) => {
  const ran: string[] = [];
  await using t = await start({ says: [verdict("holds"), "Done."], plugins: [commands(ran, true)] });
  const { reply } = await t.ask(text, { session: "s" });
  expect(reply).toMatch(/^Done\.\n\nThe goal holds/);
  expect(ran).toEqual([]);
});

test("AGT-15: no command is read from attached material, which stays material", async () => {
  const ran: string[] = [];
  await using t = await start({ says: [verdict("holds"), "Done."], plugins: [commands(ran, true)] });
  const parts: Part[] = [
    { type: "text", text: "/goal read this" },
    { type: "text", text: "evil --until make evil", from: "a page" },
  ];
  const given = directMessage({
    channel: "cli",
    id: "1",
    from: "me",
    text: "",
    trust: "owner",
    session: "s",
  });
  await t.slot(Inbox).prompt({ ...given, parts }, { signal, approvals: "none" });
  expect(ran).toEqual([]);
  expect(lastOf(t.model.requests[0]!)).toMatch(/<<untrusted[^]*evil --until make evil/);
});

test("AGT-15: a command of --until has no backtick, so that it is shown as it runs", async () => {
  await using t = await start({ says: ["Never said."], plugins: [commands([], true)] });
  const { reply } = await t.ask("/goal read --until make `cat x`", { session: "s" });
  expect(reply).toBe("Write the command behind --until without backticks: $( ) does the same.");
  expect(t.model.requests).toEqual([]);
});

test("AGT-15: a goal whose person is not an owner any more takes no further turn, and says why", async () => {
  const owners = ["alice"];
  const revoke = (): FakeAnswer => {
    owners.length = 0;
    return "One step.";
  };
  await using t = await start({ says: [revoke, "Another."], owners });
  await t.serve();
  await t.channel.receive({ text: "/goal green" });
  await t.channel.sentCount(2);
  expect(t.model.requests).toHaveLength(1);
  await t.channel.receive({ text: "/goal" });
  await t.channel.sentCount(3);
  const told = "green\nThe goal was stopped: fake:alice is not an owner any more.";
  expect(t.channel.sent.map(({ text }) => text)).toEqual(["One step.", "Stopped.", told]);
});

test("AGT-15: the turns of a goal stand apart in what is streamed, as they do in the answer", async () => {
  await using t = await start({ says: ["One step.", verdict("holds"), "Done."] });
  let streamed = "";
  const message = directMessage({ channel: "cli", id: "1", from: "me", text: "/goal green", trust: "owner" });
  const { reply } = await t.slot(Inbox).prompt(message, {
    approvals: "yes",
    signal,
    onEvent: (event) => void (streamed += event.type === "delta" ? event.text : ""),
  });
  expect(reply).toMatch(/^One step\.\n\nDone\.\n\nThe goal holds/);
  expect(streamed).toBe(reply);
});
