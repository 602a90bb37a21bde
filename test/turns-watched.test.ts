import { Inbox, messageFrom, Turns, type TurnEvent } from "@gantry/sdk";
import { fakeProvider, memoryStore, startTestHost, type TestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { gate, tool } from "./helpers/plugins.ts";

const me = { user: "cli:test" };

/** Watches a session; `left` gives what was seen once the watching was ended. */
function watching(t: TestHost, session: string) {
  const leave = new AbortController();
  const seen: TurnEvent[] = [];
  const watched = (async () => {
    for await (const event of t.slot(Turns).watch(session, leave.signal)) seen.push(event);
  })();
  const left = async (): Promise<readonly TurnEvent[]> => {
    leave.abort();
    await watched;
    return seen;
  };
  return { seen, left };
}

test("SDK-18: the last event of a watched turn tells which turn it was and why it ended", async () => {
  const model = fakeProvider(["hi", { failure: { code: "PROVIDER_SERVER", message: "down", retry: false } }]);
  await using t = await startTestHost({ plugins: [model, memoryStore()] });
  const { seen, left } = watching(t, "test");
  await t.ask("go");
  expect(seen.at(-1)).toEqual({
    type: "turn_ended",
    turn: expect.stringMatching(/^[0-9a-f]{16}$/),
    stop: "EndTurn",
  });
  await t.ask("again");
  const ends = (await left()).filter(({ type }) => type === "turn_ended");
  expect(ends).toMatchObject([{ stop: "EndTurn" }, { stop: "Error", code: "PROVIDER_SERVER" }]);
});

test("SDK-18: a watched turn that a person stops says so at its end", async () => {
  const model = fakeProvider([{ text: "", after: new Promise<void>(() => {}) }]);
  await using t = await startTestHost({ plugins: [model, memoryStore()] });
  const { left } = watching(t, "test");
  const asked = t.ask("go");
  await expect.poll(() => model.requests.length).toBe(1);
  expect(await t.slot(Turns).stop("test", me)).toBe(true);
  await asked;
  expect((await left()).at(-1)).toMatchObject({ type: "turn_ended", stopped: true });
});

test("SDK-18: a call outside of turns is listed, watched to its end, and stopped", async () => {
  const { opened, open } = gate();
  const slow = tool("slow", async ({ signal }) => {
    open();
    return new Promise((_, reject) => signal.addEventListener("abort", reject, { once: true }));
  });
  await using t = await startTestHost({ plugins: [slow, memoryStore()] });
  const { left } = watching(t, "cli:test");
  const { signal } = new AbortController();
  const call = { tool: "slow", args: {}, approvals: "none", signal } as const;
  const called = t.slot(Inbox).call?.(messageFrom(me, ""), call);
  await opened;
  const turns = t.slot(Turns);
  expect(turns.running(me)).toMatchObject([{ session: "cli:test", tool: "slow", ...me }]);
  expect(turns.running({ user: "cli:other" })).toEqual([]);
  expect(await turns.stop("cli:test", me)).toBe(true);
  expect(await called).toMatchObject({ decision: "failed", code: "TURN_CANCELLED" });
  expect(turns.running(me)).toEqual([]);
  const events = await left();
  expect(events.map(({ type }) => type)).toEqual(["tool_call", "tool_result", "turn_ended"]);
  expect(events.at(-1)).toMatchObject({ stop: "Error", code: "TURN_CANCELLED", stopped: true });
});

test("SDK-18: a turn stays listed when another turn of its session has come and gone", async () => {
  const { opened, open } = gate();
  const model = fakeProvider([{ text: "done", after: opened }, "beside"]);
  await using t = await startTestHost({ plugins: [model, memoryStore()] });
  const asked = t.ask("go");
  await expect.poll(() => model.requests.length).toBe(1);
  expect((await t.ask("go", { keep: false })).reply).toBe("beside");
  expect(t.slot(Turns).running(me)).toMatchObject([{ session: "test" }]);
  open();
  await asked;
  expect(t.slot(Turns).running(me)).toEqual([]);
});
