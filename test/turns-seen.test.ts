import {
  Approvals,
  ask,
  definePlugin,
  Observers,
  refuse,
  Turns,
  type Observer,
  type Plugin,
  type TurnEvent,
} from "@gantry/sdk";
import { EventQueue } from "@gantry/sdk/fill";
import { fakeChannel, fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { gate, guard, tool } from "./helpers/plugins.ts";

const calls = (...names: string[]) => ({ calls: names.map((name) => ({ name, args: { secret: "pssst" } })) });

/** An observer that keeps each moment with what it was told. */
function keeping(told: [string, Record<string, unknown>][]): Plugin {
  const moments = [
    "toolStarted",
    "toolRefused",
    "approvalAsked",
    "approvalDecided",
    "modelAnswered",
    "turnEnded",
  ];
  const listening = moments.map((name) => [name, (report: object) => void told.push([name, { ...report }])]);
  return definePlugin({
    name: "observer-keeping",
    provides: [Observers],
    setup: (host) =>
      host.provide(Observers, { name: "keeping", ...Object.fromEntries(listening) } as Observer),
  });
}

const rules = guard("rules", ({ tool: name }) => {
  if (name === "knock") return ask({ code: "DOOR", message: "May I?" });
  return name === "burn" ? refuse({ code: "FIRE", message: "No fire." }) : undefined;
});

test("SDK-18: observers are told of questions, decisions, tools begun, refused calls and why answers and turns end", async () => {
  const told: [string, Record<string, unknown>][] = [];
  const tools = ["look", "knock", "burn"].map((name) => tool(name, async () => "ok"));
  const model = fakeProvider([calls("look", "knock", "burn", "none"), "done"]);
  await using t = await startTestHost({ plugins: [...tools, rules, model, keeping(told)] });
  await t.ask("go", {
    approvals: "ask",
    onEvent: (event: TurnEvent) => {
      if (event.type === "approval_request")
        void t.slot(Approvals).decide(event.request.id, "allow", { user: "cli:test" });
    },
  });
  const who = { session: "test", user: "cli:test" };
  const of = (name: string) => told.filter(([moment]) => moment === name).map(([, report]) => report);
  const begun = of("toolStarted").map(({ call }) => (call as { tool: string }).tool);
  expect(begun).toEqual(["look", "knock"]);
  const [asked] = of("approvalAsked");
  expect(asked).toMatchObject({ ...who, tool: "knock", id: expect.any(String) });
  const decided = { ...asked, decision: "allow", by: "cli:test", ms: expect.any(Number) };
  expect(of("approvalDecided")).toEqual([decided]);
  expect(of("toolRefused")).toMatchObject([
    { ...who, tool: "burn", decision: "refused", code: "FIRE", turn: expect.any(String) },
    { ...who, tool: "none", decision: "failed", code: "TOOL_UNKNOWN" },
  ]);
  expect(of("modelAnswered").map(({ stop }) => stop)).toEqual(["ToolUse", "EndTurn"]);
  expect(of("turnEnded")).toMatchObject([{ stop: "EndTurn" }]);
  expect(JSON.stringify([of("toolRefused"), of("approvalAsked"), of("approvalDecided")])).not.toContain(
    "pssst",
  );
});

test("SDK-18: a turn that fails tells its observers the code", async () => {
  const told: [string, Record<string, unknown>][] = [];
  await using t = await startTestHost({ plugins: [keeping(told)] });
  await t.ask("go");
  expect(told.at(-1)).toMatchObject(["turnEnded", { stop: "Error", code: "NO_PROVIDER" }]);
});

test("SDK-18: whoever watches a session sees its channel's turn as it runs, and the next one, until they leave", async () => {
  const channel = fakeChannel("fake", { owners: ["alice"] });
  const { opened, open } = gate();
  const model = fakeProvider([{ text: "first", after: opened }, "second", "third"]);
  await using t = await startTestHost({ plugins: [channel, model, memoryStore()] });
  await t.serve();
  await channel.receive({ text: "go" });
  await expect.poll(() => model.requests.length).toBe(1);
  const leave = new AbortController();
  const seen: string[] = [];
  const watching = (async () => {
    for await (const event of t.slot(Turns).watch("fake:alice", leave.signal))
      if (event.type === "delta") seen.push(event.text);
  })();
  open();
  await channel.sentCount(1);
  await channel.receive({ text: "more" });
  await channel.sentCount(2);
  await expect.poll(() => seen.join("")).toBe("firstsecond");
  leave.abort();
  await watching;
  await channel.receive({ text: "unseen" });
  await channel.sentCount(3);
  expect(seen.join("")).toBe("firstsecond");
});

test("SDK-18: a watcher makes nobody of a turn that has nobody to ask", async () => {
  const model = fakeProvider([calls("knock"), "done"]);
  const plugins = [tool("knock", async () => "ok"), rules, model];
  await using t = await startTestHost({ plugins });
  const leave = new AbortController();
  const events = t.slot(Turns).watch("test", leave.signal);
  const first = events[Symbol.asyncIterator]().next();
  const { tool_calls } = await t.ask("go", { approvals: "ask" });
  expect(tool_calls).toEqual([{ tool: "knock", decision: "refused", code: "APPROVAL_NO_PERSON" }]);
  expect((await first).value).toEqual({ type: "thinking" });
  leave.abort();
});

test("SDK-18: a person lists and stops their own turn, an owner that of their conversation, nobody else any", async () => {
  const channel = fakeChannel("fake");
  const model = fakeProvider([{ text: "", after: new Promise<void>(() => {}) }]);
  await using t = await startTestHost({ plugins: [channel, model, memoryStore()] });
  await t.serve();
  await channel.receive({ text: "go", from: "bob", conversation: { id: "lab", kind: "group" } });
  await expect.poll(() => model.requests.length).toBe(1);
  const turns = t.slot(Turns);
  const there = { conversation: "fake:lab" };
  const strangers = [
    { user: "fake:mallory", trust: "member", ...there },
    { user: "fake:alice", trust: "owner", conversation: "fake:alice" },
    { user: "fake:bob" },
    { user: "http:phone" },
  ] as const;
  for (const by of strangers) {
    expect(turns.running(by)).toEqual([]);
    expect(await turns.stop("fake:lab", by)).toBe(false);
  }
  expect(turns.running({ user: "fake:bob", ...there })).toMatchObject([
    { session: "fake:lab", user: "fake:bob", began: expect.any(Number), turn: expect.any(String) },
  ]);
  const owner = { user: "fake:alice", trust: "owner", ...there } as const;
  expect(turns.running(owner)).toHaveLength(1);
  expect(await turns.stop("fake:lab", owner)).toBe(true);
  await channel.sentCount(1);
  expect([channel.sent[0]?.text, turns.running(owner)]).toEqual(["Stopped.", []]);
});

test("SDK-18: a reader that falls megabytes behind is told so behind what it can still read", async () => {
  const queue = new EventQueue<string>();
  const piece = "x".repeat(1024 * 1024);
  const taken = Array.from({ length: 6 }, () => queue.put(piece));
  expect(taken).toEqual([true, true, true, false, false, false]);
  const read: string[] = [];
  const reading = (async () => {
    for await (const text of queue.read()) read.push(text);
  })();
  await expect(reading).rejects.toMatchObject({ code: "READER_TOO_SLOW" });
  expect(read).toHaveLength(4);
});
