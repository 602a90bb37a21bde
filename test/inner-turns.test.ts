import {
  Approvals,
  ask,
  definePlugin,
  directMessage,
  Inbox,
  Observers,
  Tools,
  type Plugin,
  type PromptOptions,
  type ToolCall,
  type TurnEvent,
  type TurnFacts,
} from "@gantry/sdk";
import { Budget } from "@gantry/sdk/fill";
import {
  createMemoryStore,
  fakeChannel,
  fakeProvider,
  memoryStore,
  startTestHost,
} from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test } from "vitest";
import { guard, tool } from "./helpers/plugins.ts";

const call = (name: string, args: object = {}) => ({ name, args });
const delegate = { calls: [call("delegate")] };

/** A tool that hands its task to a turn of its own, asked as some other person. */
function delegating(
  more: Partial<PromptOptions> & { readonly session?: string; readonly text?: string } = {},
): Plugin {
  return definePlugin({
    name: "tool-delegate",
    needs: { inbox: Inbox },
    provides: [Tools],
    setup(host) {
      host.provide(Tools, {
        name: "delegate",
        description: "Hands on.",
        input: Type.Object({}),
        async run({ signal }) {
          const { session, text = "do it", ...options } = more;
          const from = { channel: "web", id: crypto.randomUUID(), from: "stranger", text };
          const message = directMessage({ ...from, ...(session !== undefined && { session }) });
          const turn = await host.needs.inbox.prompt(message, {
            keep: false,
            approvals: "yes",
            signal,
            ...options,
          });
          return turn.error ? { text: turn.error.message, failed: true } : turn.reply;
        },
      });
    },
  });
}

const look = tool("look", async () => "* * *");
const burn = tool("burn", async () => "ash");

test("SDK-10: a turn within a turn speaks for the same person, has no tool more, and answers with the same model", async () => {
  const model = fakeProvider([delegate, { calls: [call("burn")] }, "inner", "outer"]);
  const calls: ToolCall[] = [];
  const watcher = guard("watcher", (seen) => void calls.push(seen));
  const plugins = [delegating({ tools: ["burn", "look"] }), look, burn, model, watcher, memoryStore()];
  await using t = await startTestHost({ plugins });
  const turn = await t.ask("go", {
    tools: ["delegate", "look"],
    model: "big",
    effort: "high",
    agent: "chief",
  });
  expect(turn.reply).toBe("outer");
  const [, inner] = model.requests;
  expect([inner?.model, inner?.effort]).toEqual(["big", "high"]);
  expect(inner?.tools.map(({ name }) => name)).toEqual(["look"]);
  expect(calls.map(({ tool: name, user, trust, agent }) => [name, user, trust, agent])).toEqual([
    ["delegate", "cli:test", "owner", "chief"],
    ["burn", "cli:test", "owner", "chief"],
  ]);
  expect(t.audit.map(({ result }) => result)).toContain("refused: TOOL_NOT_OFFERED");
});

test("SDK-10: SDK-08: a turn within the turn of somebody who is not the owner is trusted no further", async () => {
  const trust: unknown[] = [];
  const watcher = guard("watcher", (made) => void trust.push([made.tool, made.trust]));
  const channel = fakeChannel();
  const model = fakeProvider([delegate, { calls: [call("look")] }, "inner", "outer"]);
  await using t = await startTestHost({
    plugins: [channel, delegating(), look, watcher, model, memoryStore()],
  });
  await t.serve();
  await channel.receive({ text: "go", trust: "guest" });
  await channel.sentCount(1);
  expect(trust).toEqual([
    ["delegate", "guest"],
    ["look", "guest"],
  ]);
});

test("SDK-10: what a turn may take is shared with the turns within it, and looked at before each request", async () => {
  const model = fakeProvider([delegate, { calls: [call("look")] }, "never said"]);
  await using t = await startTestHost({ plugins: [delegating(), look, model, memoryStore()] });
  const turn = await t.ask("go", { budget: { tokens: 30 } });
  // 15 tokens each: one request outside, one within, and none beyond.
  expect(model.requests).toHaveLength(2);
  expect(turn.error?.code).toBe("TURN_BUDGET_SPENT");
  const again = fakeProvider([delegate, { calls: [call("look")] }, "outer"]);
  const own = delegating({ budget: { tokens: 15 } });
  await using other = await startTestHost({ plugins: [own, look, again, memoryStore()] });
  expect((await other.ask("go")).reply).toBe("outer");
  expect(JSON.stringify(again.requests[2]?.messages.at(-1))).toContain("has used the 15 tokens");
});

test("SDK-10: turns stand in each other two deep; a third is refused, and no turn waits for itself", async () => {
  const model = fakeProvider([delegate, delegate, delegate, "in the second", "in the first", "outer"]);
  await using t = await startTestHost({ plugins: [delegating(), model, memoryStore()] });
  expect((await t.ask("go")).reply).toBe("outer");
  const told = model.requests[3]?.messages.at(-1);
  expect(JSON.stringify(told)).toContain("A turn was asked for inside 2 others");

  const itself = fakeProvider([delegate, "done"]);
  const plugins = [delegating({ session: "test", keep: true }), itself, memoryStore()];
  await using other = await startTestHost({ plugins });
  expect((await other.ask("go")).reply).toBe("done");
  expect(JSON.stringify(itself.requests[1]?.messages.at(-1))).toContain("A turn of the conversation runs");
});

test("SDK-10: a question of a turn within a turn is put in the conversation that the person sees, and holds there", async () => {
  const asking = guard("asking", ({ tool: name }) =>
    name === "burn" ? ask({ code: "SURE", message: "Sure?" }) : undefined,
  );
  const answers = [delegate, { calls: [call("burn")] }, "inner", "outer"];
  const model = fakeProvider([...answers, ...answers]);
  await using t = await startTestHost({ plugins: [delegating(), burn, asking, model, memoryStore()] });
  const seen: TurnEvent[] = [];
  const onEvent = (event: TurnEvent): void => {
    seen.push(event);
    if (event.type !== "approval_request") return;
    expect(event.request.session).toBe("test");
    t.slot(Approvals).decide(event.request.id, "always", { user: "cli:test" });
  };
  await t.ask("go", { approvals: "ask", onEvent });
  const tools = seen.flatMap((event) => (event.type === "tool_call" ? [event.tool] : []));
  expect(tools).toEqual(["delegate"]);
  const approvals = t.audit.filter(({ event_type }) => event_type === "approval");
  expect(approvals.map(({ tool: name, result }) => [name, result.slice(0, 17)])).toEqual([
    ["burn", "allow by cli:test"],
  ]);
  await t.ask("again", { approvals: "ask", onEvent });
  expect(seen.filter(({ type }) => type === "approval_request")).toHaveLength(1);
  expect(t.audit.filter(({ tool: name, result }) => name === "burn" && result === "allowed")).toHaveLength(1);

  // Nobody can be asked around it, so its own `yes` permits nothing.
  const quiet = fakeProvider([delegate, { calls: [call("burn")] }, "inner", "outer"]);
  await using other = await startTestHost({ plugins: [delegating(), burn, asking, quiet, memoryStore()] });
  await other.ask("go", { approvals: "none" });
  expect(other.audit.map(({ result }) => result)).toContain("refused: APPROVAL_NO_PERSON");
});

test("SDK-10: what either turn has taken in, both have; of a turn that nobody can come back to nothing is left", async () => {
  const page = tool("page", async () => "words", { effects: () => ({ brings: { material: ["a page"] } }) });
  const secret = tool("secret", async () => "42", { effects: () => ({ brings: { private: ["the safe"] } }) });
  const held: [string, unknown][] = [];
  const watcher = guard("watcher", ({ tool: name, sources }) => void held.push([name, sources]));
  const model = fakeProvider([
    { calls: [call("secret")] },
    delegate,
    { calls: [call("page")] },
    { calls: [call("look")] },
    "inner",
    { calls: [call("look")] },
    "outer",
  ]);
  const store = createMemoryStore();
  await using t = await startTestHost({
    plugins: [delegating({ text: "/new" }), look, page, secret, watcher, model, memoryStore(store)],
  });
  expect((await t.ask("go")).reply).toBe("outer");
  const both = { material: ["a page"], private: ["the safe"] };
  expect(held.filter(([name]) => name === "look")).toEqual([
    ["look", both],
    ["look", both],
  ]);
  expect((await store.values.list("session-sources", { limit: 9 })).map(({ key }) => key)).toEqual(["test"]);
  expect((await store.sessions.list(10)).map(({ id }) => id)).toEqual(["test"]);
});

test("SDK-10: whoever watches is told what a turn works as and within; what a tool left behind for later is no part of it", async () => {
  const told: TurnFacts[] = [];
  const later: Promise<unknown>[] = [];
  const asked: (string | undefined)[] = [];
  const watching = definePlugin({
    name: "watching",
    needs: { inbox: Inbox },
    provides: [Budget, Observers, Tools],
    setup(host) {
      host.provide(Observers, { name: "watching", turnStarted: (facts) => void told.push(facts) });
      host.provide(Budget, { check: ({ agent }) => void asked.push(agent) });
      host.provide(Tools, {
        name: "remind",
        description: "Later.",
        input: Type.Object({}),
        async run() {
          const message = directMessage({
            channel: "web",
            id: "1",
            from: "ada",
            text: "now",
            trust: "owner",
          });
          const wait = new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
          const { signal } = new AbortController();
          const prompt = () => host.needs.inbox.prompt(message, { approvals: "none", keep: false, signal });
          later.push(wait.then(prompt));
          return "soon";
        },
      });
    },
  });
  const model = fakeProvider([delegate, "inner", { calls: [call("remind")] }, "outer", "then"]);
  const plugins = [delegating({ agent: "scout" }), watching, model, memoryStore()];
  await using t = await startTestHost({ plugins });
  await t.ask("go");
  await Promise.all(later);
  const facts = told.map(({ user, agent, within }) => [user, agent, within]);
  expect(facts).toEqual([
    ["cli:test", undefined, undefined],
    ["cli:test", "scout", "test"],
    ["web:ada", undefined, undefined],
  ]);
  expect(asked.filter((agent) => agent !== undefined)).toEqual(["scout"]);
});

test("SDK-10: what a caller cannot mean is told apart before anything runs", async () => {
  const model = fakeProvider(["never"]);
  await using t = await startTestHost({ plugins: [model, memoryStore()] });
  const wrong = [
    [{ budget: { tokens: Number.NaN } }, "budget.tokens"],
    [{ maxTokens: 0 }, "maxTokens"],
    [{ agent: "A b" }, "agent"],
    [{ effort: "huge" as "high" }, "effort"],
  ] as const;
  for (const [options, name] of wrong)
    await expect(t.ask("go", options)).rejects.toThrow(`The option \`${name}\` of a prompt is`);
  expect(model.requests).toEqual([]);
});
