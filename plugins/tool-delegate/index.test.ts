import { Agents, definePlugin, directMessage, Inbox, Store, type Agent } from "@gantry/sdk";
import { checkPlugin, createMemoryStore } from "@gantry/sdk/testing";
import { expect, test, vi } from "vitest";
import { gate, tool } from "../../test/helpers/plugins.ts";
import { delegate, isTask, lastOf, startDelegating } from "./delegate.test-kit.ts";
import plugin from "./index.ts";

/** A plugin that lists these agents and routes nobody. */
function listing(...agents: readonly Agent[]) {
  return definePlugin({
    name: "some-agents",
    provides: [Agents],
    setup: (host) => host.provide(Agents, { list: () => agents, of: () => undefined }),
  });
}

const names = (tools: readonly { readonly name: string }[] = []) => tools.map(({ name }) => name);

test("AGT-10: a task has a context of its own, the tools that it is given, and comes back as the result", async () => {
  const seen: string[] = [];
  const watcher = definePlugin({
    name: "guard-watcher",
    taps: ["beforeToolCall"],
    setup(host) {
      host.hooks.beforeToolCall.tap(({ tool, user }) => void seen.push(`${user} ${tool}`));
    },
  });
  await using t = await startDelegating({
    parent: [delegate({ task: "count the stars", tools: ["look"] }), lastOf],
    task: (request) =>
      lastOf(request).includes("* * *") ? "Three." : { calls: [{ name: "look", args: {} }] },
    plugins: [watcher],
  });
  const { reply } = await t.ask("how many stars, secretly?");
  expect(reply).toContain("Three.\n(1 tool call)");
  const [inner] = t.model.requests.filter(isTask);
  expect(names(inner?.tools)).toEqual(["look"]);
  expect(JSON.stringify(inner?.messages)).not.toContain("secretly");
  expect(seen).toEqual(["cli:test delegate", "cli:test look"]);
});

test("AGT-10: a task is done by the agent that is named, within what both may do", async () => {
  await using t = await startDelegating({
    parent: [delegate({ task: "x", agent: "reader", tools: ["look", "burn"] }), "done"],
    task: () => "read",
    plugins: [listing({ name: "reader", tools: ["look", "absent"], model: "small" })],
  });
  await t.ask("go");
  const [inner] = t.model.requests.filter(isTask);
  expect([names(inner?.tools), inner?.model]).toEqual([["look"], "small"]);
});

test.each([
  [{ agent: "reder" }, "did you mean `reader`?"],
  [{ tools: ["lok"] }, "did you mean `look`?"],
])("AGT-10: a wrong name hands nothing on and says the nearest: %o", async (args, hint) => {
  await using t = await startDelegating({
    parent: [delegate({ task: "x", ...args }), lastOf],
    task: () => "never",
    plugins: [listing({ name: "reader" })],
  });
  expect((await t.ask("go")).reply).toContain(hint);
  expect(t.model.requests.filter(isTask)).toEqual([]);
});

test("AGT-10: a task may hand on once more, and no deeper", async () => {
  await using t = await startDelegating({
    parent: [delegate({ task: "one" }), lastOf],
    task: (request) =>
      /^(?:one|two|three)$/.test(lastOf(request)) ? next(lastOf(request)) : lastOf(request),
  });
  const { reply } = await t.ask("go");
  expect(reply).toContain("as deep as it goes");
  expect(t.model.requests.filter(isTask).map(lastOf)).not.toContain("three");
});

function next(task: string) {
  return delegate({ task: task === "one" ? "two" : "three" });
}

test("AGT-10: a task has a budget of its own, and says so if it is spent", async () => {
  await using t = await startDelegating({
    parent: [delegate({ task: "x" }), lastOf],
    task: () => ({ calls: [{ name: "look", args: {} }] }),
    config: { delegate: { budget: 20 } },
  });
  expect((await t.ask("go")).reply).toMatch(/budget|tokens/);
  expect(t.model.requests.filter(isTask)).toHaveLength(2);
});

test("AGT-10: a task that takes longer than max_minutes is ended, and its parent goes on", async () => {
  const { timeout } = AbortSignal;
  const minute = vi.spyOn(AbortSignal, "timeout");
  minute.mockImplementation((ms) => timeout.call(AbortSignal, ms === 60_000 ? 10 : ms));
  const hang = tool(
    "hang",
    ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", reject)),
  );
  await using t = await startDelegating({
    parent: [delegate({ task: "x" }), lastOf],
    task: () => ({ calls: [{ name: "hang", args: {} }] }),
    config: { delegate: { max_minutes: 1 } },
    plugins: [hang],
  });
  const { reply, error } = await t.ask("go").finally(() => minute.mockRestore());
  expect([error, reply]).toEqual([undefined, expect.stringContaining("cancelled")]);
});

test("AGT-10: several tasks of one answer are worked on beside each other", async () => {
  const all = gate();
  let begun = 0;
  await using t = await startDelegating({
    parent: [delegate({ task: "a" }, { task: "b" }, { task: "c" }), "done"],
    task: () => {
      begun += 1;
      if (begun === 3) all.open();
      return { text: "ok", after: all.opened };
    },
  });
  expect((await t.ask("go")).tool_calls).toHaveLength(3);
});

test("AGT-10: a result is on disk before the parent is told, and is not worked out again", async () => {
  const store = createMemoryStore();
  let isBroken = true;
  await using t = await startDelegating({
    parent: [
      delegate({ task: "x" }),
      () => {
        if (!isBroken) return "";
        isBroken = false;
        return { failure: { code: "PROVIDER_SERVER", message: "away", retry: false } };
      },
      delegate({ task: "x" }),
      lastOf,
    ],
    task: () => "worked out",
    store,
  });
  const message = { channel: "cli", id: "the-same", sender: { id: "test" }, replyTo: null, timestamp: 1 };
  const { textParts } = await import("@gantry/sdk");
  const ask = () =>
    t.slot(Inbox).prompt(
      {
        ...message,
        conversation: { id: "test", kind: "direct" },
        parts: textParts("go"),
        trust: "owner",
        session: "same",
      },
      { approvals: "yes", signal: new AbortController().signal },
    );
  expect((await ask()).error).toMatchObject({ message: "away" });
  const kept = await t.slot(Store).values.get("session-tasks", "same");
  expect(JSON.stringify(kept)).toContain("worked out");
  expect((await ask()).reply).toContain("It was done before this turn was begun again.");
  expect(t.model.requests.filter(isTask)).toHaveLength(1);
});

test("AGT-10: two messages of one trace and conversation that ask for the same task have a result each", async () => {
  let count = 0;
  await using t = await startDelegating({
    parent: [delegate({ task: "x" }), lastOf, delegate({ task: "x" }), lastOf],
    task: () => `result ${(count += 1)}`,
  });
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const more = {
    channel: "cli",
    from: "me",
    text: "go",
    trust: "owner",
    session: "same",
    traceparent,
  } as const;
  const ask = (id: string) =>
    t
      .slot(Inbox)
      .prompt(directMessage({ ...more, id }), { approvals: "yes", signal: AbortSignal.timeout(30_000) });
  expect((await ask("one")).reply).toContain("result 1");
  expect((await ask("two")).reply).toContain("result 2");
});

test("AGT-10: a task that the end of a process cut is done again, and the parent is told so", async () => {
  const store = createMemoryStore();
  const parent = [delegate({ task: "x" }), lastOf];
  const message = { channel: "fake", id: "1", from: "alice", text: "go" };
  const begun = gate();
  const late = gate();
  const first = await startDelegating({
    parent,
    task: () => {
      begun.open();
      return { text: "late", after: late.opened };
    },
    store,
  });
  void first.channel.receive(message);
  await begun.opened;
  // Another process works on with what was on disk then, as after a SIGKILL of this one.
  const state = structuredClone(await store.values.get("session-tasks", "fake:alice"));
  late.open();
  await first.stop();
  const after = createMemoryStore();
  await after.values.put("session-tasks", "fake:alice", state);
  await using t = await startDelegating({ parent, task: () => "again", store: after });
  expect(await t.channel.receive(message)).toBe("accepted");
  await t.channel.sentCount(1);
  expect(t.channel.sent[0]?.text).toContain("again");
  expect(t.channel.sent[0]?.text).toContain("It was begun before.");
});

test("AGT-10: what tasks take is counted for their agents, and all of it together is the total", async () => {
  const { bundledPlugin } = await import("@gantry/sdk/testing");
  await using t = await startDelegating({
    parent: [delegate({ task: "x", agent: "reader" }, { task: "y" }), "done"],
    task: () => "read",
    plugins: [listing({ name: "reader" }), await bundledPlugin("usage-ledger")],
  });
  await t.ask("go");
  const { usage } = t.slot(Store);
  const byAgent = async () => (await usage.sum("agent", 0)).map(({ key, requests }) => [key, requests]);
  await expect.poll(byAgent).toEqual([
    ["", 3],
    ["reader", 1],
  ]);
});

test("AGT-10: the plugin keeps the contract of its kind", async () => {
  expect((await checkPlugin({ plugin })).findings).toEqual([]);
});
