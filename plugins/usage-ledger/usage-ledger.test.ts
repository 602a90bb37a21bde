import {
  Approvals,
  Commands,
  definePlugin,
  directMessage,
  Inbox,
  Observers,
  Routes,
  type ModelAnswer,
} from "@gantry/sdk";
import {
  createMemoryStore,
  fakeProvider,
  memoryStore,
  startTestHost,
  type TestHost,
} from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { microsOf } from "./prices.ts";
import plugin from "./index.ts";

const prices = { "fake-1": { input: 2, output: 10, cached: 0.5 } };
const failure = { code: "PROVIDER_SERVER", message: "failed", retry: true };

async function start(budget: object, store = createMemoryStore()) {
  const model = fakeProvider(["ok"]);
  const config = { default_model: "fake-1", budget, prices };
  const t = await startTestHost({ plugins: [plugin, model, memoryStore(store)], config });
  return Object.assign(t, { model });
}

function run(t: TestHost, options: Record<string, string | boolean>) {
  const out: string[] = [];
  const err: string[] = [];
  const context = {
    args: [],
    options,
    out: (line: string) => void out.push(line),
    err: (line: string) => void err.push(line),
    interactive: false,
  };
  const command = t.slot(Commands).get("usage");
  const ended = command?.run({ ...context, signal: AbortSignal.timeout(60_000), serve: async () => 1 });
  return Promise.resolve(ended).then((code) => ({ code, out, err }));
}

test("USE-02: every request leaves a row with what it took and cost, also one that failed, and `gantry usage` adds them up", async () => {
  const store = createMemoryStore();
  const config = { default_model: "fake-1", prices };
  const model = fakeProvider(["ok", { failure }]);
  await using t = Object.assign(
    await startTestHost({ plugins: [plugin, model, memoryStore(store)], config }),
    { model },
  );
  await t.ask("one");
  await t.ask("two");
  await expect.poll(async () => (await store.usage.sum("model", 0))[0]?.requests).toBe(2);
  const [row] = JSON.parse((await run(t, { json: true })).out[0] ?? "");
  const day = new Date().toISOString().slice(0, 10);
  expect(row).toEqual({
    key: day,
    requests: 2,
    failed: 1,
    input: 10,
    output: 5,
    cached: 0,
    estimated: 0,
    unpriced: 0,
    usd: 70e-6,
  });
  expect((await run(t, { by: "user" })).out.join("\n")).toMatch(
    /^user .*\ncli:test +2 \(1 failed\) +10 +0 +5 +\$0\.0001$/,
  );
  expect((await run(t, { by: "model", json: true })).out[0]).toContain('"key":"fake-1"');
  await expect(run(t, { by: "moon" })).rejects.toMatchObject({ code: "USAGE" });
  await expect(run(t, { days: "soon" })).rejects.toMatchObject({ code: "USAGE" });
});

test("USE-02: a row names the agent under whose name the turn ran, and `gantry usage --by agent` adds them up", async () => {
  const store = createMemoryStore();
  await using t = await start({}, store);
  await t.ask("one");
  const message = directMessage({ channel: "cli", id: "2", from: "test", text: "two", trust: "owner" });
  const options = { agent: "writer", approvals: "none", signal: AbortSignal.timeout(60_000) } as const;
  for (let n = 0; n < 2; n++) await t.slot(Inbox).prompt(message, options);
  await expect.poll(async () => (await store.usage.sum("agent", 0))[0]?.requests).toBe(2);
  expect((await run(t, { by: "agent" })).out.join("\n")).toMatch(
    /^agent .*\nwriter +2 [^]*\n\(the main agent\) +1 /,
  );
});

test("USE-02: the gateway is told the same", async () => {
  await using t = await start({});
  await t.ask("one");
  const request = { query: { by: "user" } } as never;
  await expect
    .poll(async () => await t.slot(Routes).get("GET /api/usage")?.handle(request))
    .toMatchObject({ status: 200, body: { by: "user", rows: [{ key: "cli:test", requests: 1 }] } });
});

test("USE-02: observers are told who served, what it took and how long the first piece was waited for", async () => {
  const heard: ModelAnswer[] = [];
  const observer = definePlugin({
    name: "observer",
    provides: [Observers],
    setup: (host) =>
      host.provide(Observers, { name: "o", modelAnswered: (answer) => void heard.push(answer) }),
  });
  await using t = await startTestHost({ plugins: [fakeProvider(["ok"]), observer] });
  await t.ask("one");
  expect(heard).toEqual([
    {
      session: "test",
      user: "cli:test",
      turn: expect.any(String),
      trace: expect.any(String),
      message: expect.any(String),
      started: expect.any(Number),
      stop: "EndTurn",
      purpose: "turn",
      provider: "fake",
      model: undefined,
      inputTokens: 10,
      outputTokens: 5,
      cachedTokens: 0,
      reasoningTokens: 0,
      ms: expect.any(Number),
      firstMs: expect.any(Number),
      outcome: "ok",
    },
  ]);
});

test("USE-03: USE-02: where a server tells no tokens they are guessed, marked as such, and count for a budget", async () => {
  const said = "word ".repeat(700);
  const plugins = [plugin, fakeProvider([{ text: said, usage: false }]), memoryStore(createMemoryStore())];
  const config = { default_model: "fake-1", prices, budget: { tokens_per_day: 1_000 } };
  await using t = await startTestHost({ plugins, config });
  await t.ask(said);
  expect((await t.ask("two")).error?.code).toBe("BUDGET_SPENT");
  expect((await t.ask("/usage")).reply).toMatch(
    /^Today \(UTC\): 1 request, ~1\d\d\d tokens in, ~1000 out, \$0\.01/,
  );
  const listed = await run(t, {});
  expect(listed.out[1]).toMatch(/ ~1\d\d\d +0 +~1000 /);
  expect(listed.err).toEqual([expect.stringMatching(/^~ holds guesses/)]);
  const [row] = JSON.parse((await run(t, { json: true })).out[0] ?? "") as { estimated: number }[];
  expect(row?.estimated).toBe(1);
});

test("USE-03: a spent budget stops the next request before it is made, over a restart too, and names the key", async () => {
  const store = createMemoryStore();
  await using t = await start({ tokens_per_day: 20 }, store);
  await t.ask("one");
  await t.ask("two");
  const third = await t.ask("three");
  expect(third.error?.message).toBe(
    "The budget is spent: 30 tokens of 20 tokens for today (UTC): wait until tomorrow, or raise budget.tokens_per_day.",
  );
  expect(t.model.requests).toHaveLength(2);
  await t.stop();
  await using again = await start({ tokens_per_day: 20 }, store);
  expect((await again.ask("four")).error?.code).toBe("BUDGET_SPENT");
  expect(again.model.requests).toHaveLength(0);
});

test("USE-03: one person's budget is theirs alone", async () => {
  await using t = await start({ per_user_tokens_per_day: 10 });
  await t.ask("one");
  expect((await t.ask("two")).error?.code).toBe("BUDGET_SPENT");
  expect(await t.ask("three", { user: "cli:other", session: "other" })).toMatchObject({ reply: "ok" });
  await using paid = await start({ per_user_usd_per_day: 0.00006 });
  await paid.ask("one");
  expect((await paid.ask("two")).error?.message).toContain("budget.per_user_usd_per_day");
  expect(await paid.ask("three", { user: "cli:other", session: "other" })).toMatchObject({ reply: "ok" });
});

test("USE-03: a budget in dollars counts by the prices, and refuses a model that has none", async () => {
  await using t = await start({ usd_per_day: 0.00006 });
  await t.ask("one");
  expect((await t.ask("two")).error?.message).toContain("$0.00 of $0.00 for today");
  expect((await t.ask("three", { model: "other" })).error?.code).toBe("BUDGET_NO_PRICE");
});

test('USE-03: with on_limit = "ask" the person decides, once for the turn; where nobody can be asked it is a no', async () => {
  await using t = await start({ tokens_per_day: 0, on_limit: "ask" });
  expect((await t.ask("one")).error).toMatchObject({
    code: "APPROVAL_NO_PERSON",
    message: expect.stringMatching(
      /^To go on beyond the budget needs .* ask: run it in a terminal.*\. The budget is spent: .*day\.$/,
    ),
  });
  const answers = ["allow", "deny"];
  const decide = (): Promise<{ reply: string }> =>
    t.ask("two", {
      approvals: "ask",
      onEvent: (event) => {
        if (event.type !== "approval_request") return;
        expect(event.request.reasons[0]).toContain("The budget is spent");
        const by = { user: "cli:test", conversation: "test", trust: "owner" } as const;
        t.slot(Approvals).decide(event.request.id, answers.shift() ?? "", by);
      },
    });
  expect(await decide()).toMatchObject({ reply: "ok" });
  expect(await decide()).toMatchObject({
    reply: "",
    error: {
      code: "APPROVAL_DENIED",
      message: "To go on beyond the budget was not approved by the person who was asked.",
    },
  });
  expect(t.model.requests).toHaveLength(1);
});

test("USE-02: /usage says how many requests have no price, as they cost something all the same", async () => {
  await using t = await start({});
  await t.ask("one", { model: "other" });
  const said = await t.ask("/usage");
  expect(said.reply).toContain("$0.0000 + 1 request without a price");
});

test("USE-03: what comes from the cache costs what the cache costs", () => {
  const tokens = { model: "fake-1", inputTokens: 1_000, outputTokens: 100, cachedTokens: 800 };
  expect(microsOf(tokens, prices)).toBe(200 * 2 + 800 * 0.5 + 100 * 10);
  expect(microsOf({ ...tokens, model: "other" }, prices)).toBe(null);
  expect(microsOf({ ...tokens, model: "constructor" }, prices)).toBe(null);
});
