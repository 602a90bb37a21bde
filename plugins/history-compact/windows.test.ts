import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Checks, Store, type Plugin } from "@gantry/sdk";
import { fakeChannel, startTestHost, type TestHost } from "@gantry/sdk/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import files from "../tool-files/index.ts";
import instructions from "../prompt-instructions/index.ts";
import net from "../net-undici/index.ts";
import chat from "../provider-chat-completions/index.ts";
import router from "../provider-router/index.ts";
import sandbox from "../sandbox-landlock/index.ts";
import commands from "../slash-words/index.ts";
import store from "../store-sqlite/index.ts";
import plugin from "./index.ts";
import { windowServer } from "./window-server.test-kit.ts";

const isLong = process.env["GANTRY_LONG"] !== undefined;
const turns = isLong ? 200 : 24;
const rule = "Always address me as Captain.";
const fact = "My dog is called Rex.";
let workspace: string;

beforeAll(async () => {
  workspace = await mkdtemp(path.join(tmpdir(), "gantry-window-"));
  await mkdir(path.join(workspace, ".git"));
  await writeFile(path.join(workspace, "AGENTS.md"), rule);
  for (const size of [1, 40, 400])
    await writeFile(path.join(workspace, `big-${size}.txt`), `a line of ${size} KB\n`.repeat(size * 60));
});
afterAll(() => rm(workspace, { recursive: true, force: true }));

async function start(
  provider: string,
  more: Record<string, unknown> = {},
  configDir?: string,
  plugins: readonly Plugin[] = [],
): Promise<TestHost> {
  return startTestHost({
    plugins: [plugin, files, instructions, net, chat, router, sandbox, store, ...plugins],
    config: {
      default_provider: provider,
      default_model: "m",
      security: { workspace_path: workspace },
      ...more,
    },
    ...(configDir !== undefined && { configDir }),
  });
}

const asked = (i: number): string => {
  if (i === 0) return fact;
  return i % 3 === 0 ? `thanks for ${i}` : `${i}: read big-${[1, 40, 400][i % 3]}.txt`;
};

test.each([8_000, 16_000])(
  "CTX-02: with a window of %i tokens a long conversation with big files is answered to the end, and its beginning is still known",
  async (window) => {
    await using server = await windowServer(window);
    await using t = await start(server.provider);
    for (let i = 0; i < turns; i += 1) expect(await t.ask(asked(i))).toMatchObject({ reply: "Done." });
    const last = server.taken.at(-1) as string;
    expect(last).toContain("My dog is called Rex.");
    expect(last).toContain(rule);
    // The window is learnt from the first refusal; from then on no request is refused for its size.
    expect(server.refused.length).toBeLessThanOrEqual(2);
    expect((await t.slot(Store).sessions.recent("test", 1_000)).length).toBeGreaterThan(turns * 2);
  },
);

test("CTX-02: the same in a channel, where nobody sees an error: every message is answered", async () => {
  await using server = await windowServer(8_000);
  const channel = fakeChannel("chat");
  await using t = await startTestHost({
    plugins: [plugin, files, instructions, net, chat, router, sandbox, store, channel],
    config: {
      default_provider: server.provider,
      default_model: "m",
      security: { workspace_path: workspace },
      gateway: { messages_per_minute_per_sender: 100_000 },
    },
  });
  await t.serve();
  const count = isLong ? turns : 9;
  for (let i = 0; i < count; i += 1) {
    await channel.receive({ text: asked(i) });
    await channel.sentCount(i + 1);
  }
  expect(channel.sent.map(({ text }) => text)).toEqual(Array(count).fill("Done."));
  expect(server.taken.at(-1)).toContain(fact);
});

test("CTX-03: a refusal that names no window is enough: the conversation is made shorter and goes on", async () => {
  await using server = await windowServer(8_000, () => "prompt is too long");
  await using t = await start(server.provider);
  for (let i = 0; i < 8; i += 1) expect(await t.ask(asked(i))).toMatchObject({ reply: "Done." });
  expect(server.refused.length).toBeGreaterThan(0);
  expect(server.taken.at(-1)).toContain(fact);
});

test("CTX-03: a picture that is too large costs neither the conversation nor what is known of the window: the model is told that it is left out", async () => {
  await using server = await windowServer(16_000, () => "Request Entity Too Large: prompt is too long");
  await using t = await start(server.provider);
  expect(await t.ask(fact)).toMatchObject({ reply: "Done." });
  const picture = `[IMAGE:data:image/png;base64,${Buffer.alloc(60_000, 7).toString("base64")}]`;
  expect(await t.ask(`What is this? ${picture}`)).toMatchObject({ reply: "Done." });
  expect(server.refused).toHaveLength(1);
  expect(server.taken.at(-1)).toContain("image/png, without a name, 60000 bytes: left out");
  expect(await t.ask("thanks")).toMatchObject({ reply: "Done." });
  expect(server.refused).toHaveLength(1);
  expect(server.taken.at(-1)).toContain(fact);
  const rows = await t.slot(Checks).get("context-window")?.run(AbortSignal.timeout(5_000));
  expect(rows).toMatchObject([{ detail: "128000 tokens (assumed)" }]);
});

test("CTX-01: a configured window is kept to from the beginning, so that nothing is refused, and status shows it", async () => {
  await using server = await windowServer(8_000);
  await using t = await start(server.provider, { providers: { custom: { context_window: 8_000 } } });
  for (let i = 0; i < 8; i += 1) expect(await t.ask(asked(i))).toMatchObject({ reply: "Done." });
  expect(server.refused).toEqual([]);
  const rows = await t.slot(Checks).get("context-window")?.run(AbortSignal.timeout(60_000));
  expect(rows).toMatchObject([{ what: "context window", detail: "8000 tokens (configuration)" }]);
});

test.each([
  ["max_model_len", { max_model_len: 8_000 }],
  [
    "meta.n_ctx, which counts before what the model was made for",
    { meta: { n_ctx_train: 99_000, n_ctx: 8_000 } },
  ],
])("CTX-01: what the server's list of models says (%s) is kept to", async (_, facts) => {
  await using server = await windowServer(8_000, undefined, [
    { id: "other", max_model_len: 1_000 },
    { id: "m", ...facts },
  ]);
  await using t = await start(server.provider);
  for (let i = 0; i < 5; i += 1) expect(await t.ask(asked(i))).toMatchObject({ reply: "Done." });
  // The first long result comes before the list is asked for; from then on nothing is refused.
  expect(server.refused.length).toBeLessThanOrEqual(1);
  expect(server.listed()).toBe(1);
});

test("CTX-01: what the server said to the process that serves is what status shows beside it", async () => {
  const configDir = await mkdtemp(path.join(tmpdir(), "gantry-said-"));
  try {
    await using server = await windowServer(8_000, undefined, [{ id: "m", max_model_len: 8_000 }]);
    await using serving = await start(server.provider, {}, configDir);
    for (let i = 0; i < 8; i += 1) await serving.ask(`${i} ${"some words ".repeat(300)}`);
    await using beside = await start(server.provider, {}, configDir);
    const rows = await beside.slot(Checks).get("context-window")?.run(AbortSignal.timeout(60_000));
    expect(rows).toMatchObject([{ detail: "8000 tokens (provider)" }]);
    expect(server.listed()).toBe(1);
  } finally {
    await rm(configDir, { recursive: true, force: true });
  }
});

test("CTX-02: memory.compact_at_percent says how full the window may be", async () => {
  const sizes: number[] = [];
  for (const compact_at_percent of [30, 90]) {
    await using server = await windowServer(8_000);
    const providers = { [server.provider]: { context_window: 8_000 } };
    await using t = await start(server.provider, { providers, memory: { compact_at_percent } });
    for (let i = 0; i < 12; i += 1) await t.ask(`${i} ${"some words ".repeat(120)}`);
    sizes.push(Math.max(...server.taken.map((body) => body.length)));
  }
  expect(sizes[0]).toBeLessThan(sizes[1] as number);
});

test("CTX-04: one result takes at most a quarter of the window and says how to read on", async () => {
  await using server = await windowServer(8_000);
  await using t = await start(server.provider, { providers: { custom: { context_window: 8_000 } } });
  await t.ask("read big-400.txt");
  const { messages } = JSON.parse(server.taken.at(-1) as string) as {
    messages: { role: string; content: string }[];
  };
  const result = messages.at(-1)?.content ?? "";
  expect(result.length).toBeLessThanOrEqual((8_000 * 4) / 4);
  expect(result.length).toBeGreaterThan(4_000);
  expect(result).toMatch(/\[Cut: the first \d+ of \d+ characters.*Read on in pieces/);
});

test("CTX-05: /compact sums up what was said, however much room there is, and what was said stays readable", async () => {
  await using server = await windowServer(100_000);
  await using t = await start(server.provider, {}, undefined, [commands]);
  for (let i = 0; i < 6; i += 1) await t.ask(i === 0 ? fact : `thanks for ${i}`);
  expect((await t.ask("/compact")).reply).toContain("What was said is summed up");
  const { generation, base, turns: left } = await t.slot(Store).sessions.view("test", 99);
  expect([generation, left]).toEqual([1, []]);
  expect(base.length).toBeLessThan(12);
  expect(JSON.stringify(base)).toContain(fact);
  expect((await t.slot(Store).sessions.recent("test", 99)).length).toBe(12);
  await t.ask("and now?");
  expect(server.taken.at(-1)).toContain("They read files; nothing is open.");
});

test("CTX-06: where a history that was made shorter cannot be kept, the old one stays", async () => {
  await using server = await windowServer(8_000);
  const configDir = await mkdtemp(path.join(tmpdir(), "gantry-window-config-"));
  const more = { providers: { custom: { context_window: 8_000 } } };
  try {
    await using t = await start(server.provider, more, configDir);
    for (let i = 0; i < 3; i += 1) await t.ask(asked(i));
    const before = await t.slot(Store).sessions.view("test", 99);
    const stop = new AbortController();
    const { sessions } = t.slot(Store);
    const compact = sessions.compact.bind(sessions);
    // The turn is stopped in the middle: the summary is made and nothing of it is kept.
    sessions.compact = async () => {
      stop.abort();
      throw new Error("the process ended");
    };
    for (let i = 3; i < 12 && !stop.signal.aborted; i += 1) await t.ask(asked(i), { signal: stop.signal });
    expect(stop.signal.aborted).toBe(true);
    const after = await sessions.view("test", 99);
    expect([after.generation, after.base]).toEqual([0, []]);
    expect(after.turns.slice(0, before.turns.length)).toEqual(before.turns);
    sessions.compact = compact;
    expect(await t.ask("thanks")).toMatchObject({ reply: "Done." });
    expect((await sessions.view("test", 99)).generation).toBe(1);
  } finally {
    await rm(configDir, { recursive: true, force: true });
  }
});
