import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { startModel } from "../../test/helpers/model.ts";
import { checkPlugin } from "@gantry/sdk/testing";
import { call, put, startAgents } from "./agents.test-kit.ts";
import plugin from "./index.ts";

const two = {
  agents: {
    a: { workspace: "a", instructions: "You are A.", model: "small", tools: ["file_read", "memory_store"] },
    b: { workspace: "b", instructions: "You are B." },
  },
  routes: [
    { channel: "fake", person: "bob", agent: "b" },
    { channel: "fake", agent: "a" },
  ],
  security: { auto_approve_tools: ["file_read", "shell", "file_write", "memory_store", "memory_recall"] },
};

test("AGT-14: a route gives a message to its agent, with its instructions, model and tools", async () => {
  await using h = await startAgents(two, ["from a", "from b"]);
  expect(await h.say("hello")).toBe("from a");
  expect(await h.say("hello", "bob")).toBe("from b");
  const [a, b] = [h.request(0), h.request(1)];
  expect([a.model, b.model]).toEqual(["small", "usual"]);
  expect(a.tools).toEqual(["file_read", "memory_store"]);
  expect(b.tools).toContain("file_write");
  expect([a.text.includes("You are A."), a.text.includes("You are B.")]).toEqual([true, false]);
  expect(b.text).toContain("You are B.");
  expect(a.text).toContain(path.join(h.t.runtime.workspace, "a"));
});

test("AGT-14: an agent has a provider, an effort and a budget of its own", async () => {
  await using other = await startModel(call("file_read", { path: "x" }), "too late");
  const a = { provider: other.provider, model: "large", effort: "low", budget: 10 };
  await using h = await startAgents({ ...two, agents: { ...two.agents, a } }, ["not asked"]);
  expect(await h.say("hello")).toContain("10 tokens");
  expect(other.requests).toHaveLength(1);
  expect(other.requests[0]).toMatchObject({ model: "large", reasoning_effort: "low" });
  expect(other.headers[0]?.authorization).toBeUndefined();
  expect(h.model.requests).toEqual([]);
});

test("AGT-14: without a route the assistant answers as it would without an agent", async () => {
  const { agents, security } = two;
  await using h = await startAgents({ agents, security }, ["plain"]);
  expect(await h.say("hello")).toBe("plain");
  expect(h.request(0).text).not.toMatch(/You are [AB]\./);
  expect(h.request(0).tools).toContain("shell");
});

test.runIf(process.platform === "linux")(
  "AGT-14: agents of different workspaces read nothing of each other's files, by tool or command",
  async () => {
    const script = [
      call("file_read", { path: "../a/own" }),
      call("shell", { command: 'cat "$(dirname "$PWD")"/*/own; ls ..' }),
      "done",
    ];
    await using h = await startAgents(two, script);
    put(h.t, "a/own", "canary of a\n");
    await h.say("go", "bob");
    const seen = JSON.stringify(h.model.requests);
    expect(seen).not.toContain("canary of a");
    expect(h.lastResult()).not.toContain("own");
    expect(readFileSync(path.join(h.t.runtime.workspace, "a/own"), "utf8")).toBe("canary of a\n");
  },
);

test("AGT-14: a call outside of turns is bound by the agent of its person", async () => {
  const { Inbox, directMessage } = await import("@gantry/sdk");
  await using h = await startAgents(two, ["x"]);
  put(h.t, "b/own", "canary of b\n");
  const run = (from: string, tool: string, args: object) =>
    h.t
      .slot(Inbox)
      .call?.(directMessage({ channel: "fake", id: crypto.randomUUID(), from, text: "", trust: "owner" }), {
        tool,
        args: { ...args },
        approvals: "yes",
        signal: new AbortController().signal,
      });
  expect(await run("alice", "file_read", { path: "../b/own" })).toMatchObject({ decision: "refused" });
  expect(await run("alice", "shell", { command: "echo out" })).toMatchObject({
    code: "TOOL_NOT_OFFERED",
  });
  expect((await run("bob", "file_read", { path: "own" }))?.text).toContain("canary of b");
});

test("AGT-14: what an agent remembers of a person no other agent recalls", async () => {
  const { agents, security } = two;
  const shared = { ...agents, c: { memory: "shared" as const } };
  const script = [
    call("memory_store", { text: "the canary is yellow" }),
    "kept",
    ...["a", "b", "c"].flatMap(() => [call("memory_recall", { query: "canary" }), "told"]),
  ];
  await using h = await startAgents({ agents: { ...shared, a: {} }, security }, script);
  await h.say("/agent a");
  await h.say("remember");
  await h.say("recall");
  expect(h.lastResult()).toContain("canary is yellow");
  await h.say("/agent b");
  await h.say("recall");
  expect(h.lastResult()).toContain("Nothing that was remembered");
  await h.say("/agent c");
  await h.say("recall");
  expect(h.lastResult()).toContain("Nothing that was remembered");
});

test("AGT-14: an agent with shared memory knows what the assistant remembers", async () => {
  const script = [
    call("memory_store", { text: "the canary is yellow" }),
    "kept",
    call("memory_recall", { query: "canary" }),
    "told",
  ];
  const { security } = two;
  await using h = await startAgents({ agents: { c: { memory: "shared" } }, security }, script);
  await h.say("remember");
  await h.say("/agent c");
  await h.say("recall");
  expect(h.lastResult()).toContain("canary is yellow");
});

test("AGT-14: another agent begins a conversation anew, and /resume goes back to none of another", async () => {
  const { agents, security } = two;
  await using h = await startAgents({ agents, security }, ["one", "two", "three"]);
  await h.say("my canary is yellow");
  expect(await h.say("/agent b")).toContain("b");
  await h.say("what of it?");
  expect(h.request(-1).text).not.toContain("canary");
  expect(await h.say("/resume")).toContain("There is no such conversation");
  await h.say("/agent default");
  await h.say("and now?");
  expect(h.request(-1).text).not.toContain("what of it?");
});

test("AGT-14: what is said after /rewind and a change of agents belongs to whoever answers it", async () => {
  const { agents, security } = two;
  await using h = await startAgents({ agents, security }, ["one", "two", "three"]);
  await h.say("/agent a");
  await h.say("hello");
  await h.say("/rewind");
  await h.say("/agent default");
  await h.say("my canary is yellow");
  await h.say("/agent a");
  await h.say("what is it?");
  expect(h.request(-1).text).not.toContain("canary");
});

test("AGT-14: /agent lists who there is, keeps its choice, and is the owner's alone", async () => {
  const { agents, security } = two;
  await using h = await startAgents({ agents, security }, ["x"]);
  expect(await h.say("/agent")).toBe("Whom the routes name answers here. There are: a, b, default.");
  expect(await h.say("/agent bb")).toContain("(did you mean `b`?)");
  await h.say("/agent b");
  expect(await h.say("/agent")).toContain("b answers here.");
  await h.say("hello");
  expect(h.request(-1).text).toContain("You are B.");
  expect(await h.say("/agent a", "mallory")).toContain("There is no command /agent for you");
  await h.say("/new");
  await h.say("hello");
  expect(h.request(-1).text).toContain("You are B.");
});

test("AGT-14: an agent that is configured no more is told, and answers nothing", async () => {
  const { Store } = await import("@gantry/sdk");
  const { agents, security } = two;
  await using h = await startAgents({ agents, security }, ["x"]);
  await h.t.slot(Store).values.put("session-agent-chosen", "cli:test", "gone");
  await expect(h.t.ask("hello", { session: "cli:test" })).rejects.toMatchObject({ code: "AGENT_GONE" });
  expect(h.model.requests).toEqual([]);
});

test("SDK-05: the plugin keeps the contract of its kind", async () => {
  expect((await checkPlugin({ plugin, config: { agents: { a: {} } } })).findings).toEqual([]);
});

test.runIf(process.platform === "linux")(
  "AGT-14: /undo takes back nothing that another agent has written",
  async () => {
    const { agents, security } = two;
    const script = [call("file_write", { path: "note", content: "of b" }), "written", "hello"];
    await using h = await startAgents(
      { agents, security: { ...security, require_approval_tools: [] } },
      script,
    );
    const note = path.join(h.t.runtime.workspace, "b/note");
    await h.say("/agent b");
    await h.say("write");
    expect(readFileSync(note, "utf8")).toBe("of b");
    await h.say("/agent default");
    expect(await h.say("/undo")).not.toContain("Undone");
    expect(readFileSync(note, "utf8")).toBe("of b");
    await h.say("/agent b");
    expect(await h.say("/undo")).toContain("Undone: what file_write did");
  },
);
