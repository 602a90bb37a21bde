import type { ProviderEvent } from "@gantry/sdk";
import { fakeNet, startTestHost, type FakeReply, type TestHostOptions } from "@gantry/sdk/testing";
import { afterEach, expect, test, vi } from "vitest";
import { Checks, textParts, type CheckRow } from "@gantry/sdk";
import history from "../plugins/history-compact/index.ts";
import demo from "../plugins/provider-demo/index.ts";
import { answerInEveryFormat as answer, formats, type FormatName } from "./helpers/formats.ts";

afterEach(() => vi.unstubAllEnvs());

/** Tables of a provider. */
const providers = { effortful: { effort: "high" } };

/**
 * Asks once with these keys in the provider's own table; gives the body that was sent and the
 * events.
 */
async function ask(name: string, settings: object, replies: readonly FakeReply[], more: object = {}) {
  vi.stubEnv("SERVICE_RESPONSES_WEBSOCKET", "0");
  const { provider: id, table, plugin, config } = formats[name as FormatName];
  const network = fakeNet([{ url: /model\.test/, replies }]);
  await using t = await startTestHost({
    plugins: [network, plugin],
    config: { ...config, providers: { [table]: settings } },
  });
  const provider = await t.resolveProvider({ provider: id, model: "m" });
  const events: ProviderEvent[] = [];
  const request = {
    model: "m",
    messages: [{ role: "user" as const, parts: textParts("hi") }],
    tools: [],
    temperature: 0.5,
    session: "s",
    signal: new AbortController().signal,
    ...more,
  };
  for await (const event of provider.chat(request)) events.push(event);
  const bodies = network.requests.map(({ body }) => JSON.parse(Buffer.from(body as Uint8Array).toString()));
  return { bodies, events };
}

test.each([
  ["chat", { max_tokens: 300 }, { reasoning_effort: "low" }, "temperature"],
  ["responses", { max_output_tokens: 300 }, { reasoning: { effort: "low" } }, "temperature"],
  ["messages", { max_tokens: 300 }, { output_config: { effort: "low" } }, "temperature"],
])(
  "PRV-16: in the %s format max_output_tokens, effort and send_temperature of the provider's table are sent",
  async (name, bound, effort, temperature) => {
    const settings = { max_output_tokens: 300, effort: "low", send_temperature: false };
    const { bodies } = await ask(name, settings, [{ json: answer }]);
    expect(bodies[0]).toMatchObject({ ...bound, ...effort });
    expect(bodies[0]).not.toHaveProperty(temperature);
    const { bodies: plain } = await ask(name, {}, [{ json: answer }]);
    expect(plain[0]).toMatchObject({ [temperature]: 0.5 });
    expect(plain[0]).not.toHaveProperty(Object.keys(effort)[0]!);
    const other = { ...settings, effort: "high" };
    const { bodies: asked } = await ask(name, other, [{ json: answer }], { maxTokens: 7, effort: "low" });
    expect(asked[0]).toMatchObject({ [Object.keys(bound)[0]!]: 7, ...effort });
  },
);

test.each(["chat", "responses", "messages"])(
  "PRV-16: in the %s format a server that knows no effort is asked without it",
  async (name) => {
    const refuses = {
      status: 400,
      json: { error: { message: "Unsupported parameter: reasoning effort (output_config)" } },
    };
    const { bodies, events } = await ask(name, providers.effortful, [refuses, { json: answer }]);
    expect(
      bodies.map((body) => /"(?:reasoning_effort|reasoning|output_config)"/.test(JSON.stringify(body))),
    ).toEqual([true, false]);
    expect(events.at(-1)).toEqual({ type: "stop", reason: "EndTurn" });
  },
);

test("PRV-16: genlang takes an effort and no temperature by its table, and its output bound is fixed", async () => {
  const { bodies } = await ask("genlang", { effort: "high", send_temperature: false }, [{ json: answer }]);
  expect(bodies[0].generationConfig).toEqual({
    maxOutputTokens: 8192,
    thinkingConfig: { thinkingBudget: 24_576 },
  });
  await expect(ask("genlang", { max_output_tokens: 300 }, [{ json: answer }])).rejects.toMatchObject({
    message: expect.stringContaining("remove max_output_tokens from [providers.genlang]"),
  });
});

test.each([
  [
    "chat",
    {
      usage: {
        prompt_tokens: 9,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 7 },
        completion_tokens_details: { reasoning_tokens: 3 },
      },
    },
  ],
  [
    "responses",
    {
      usage: {
        input_tokens: 9,
        output_tokens: 5,
        input_tokens_details: { cached_tokens: 7 },
        output_tokens_details: { reasoning_tokens: 3 },
      },
    },
  ],
  [
    "genlang",
    {
      usageMetadata: {
        promptTokenCount: 9,
        candidatesTokenCount: 2,
        cachedContentTokenCount: 7,
        thoughtsTokenCount: 3,
      },
    },
  ],
])(
  "USE-01: in the %s format the usage tells what came from the cache and what was thought",
  async (name, counts) => {
    const { events } = await ask(name, {}, [{ json: { ...answer, ...counts } }]);
    expect(events).toContainEqual({
      type: "usage",
      inputTokens: 9,
      outputTokens: 5,
      cachedTokens: 7,
      reasoningTokens: 3,
    });
  },
);

test("CACHE-02: in the messages format input tokens are all that was read, from the cache or not", async () => {
  const usage = {
    input_tokens: 2,
    cache_read_input_tokens: 7,
    cache_creation_input_tokens: 1,
    output_tokens: 5,
  };
  const { events } = await ask("messages", {}, [{ json: { ...answer, usage } }]);
  expect(events).toContainEqual({
    type: "usage",
    inputTokens: 10,
    outputTokens: 5,
    cachedTokens: 7,
    cacheWriteTokens: 1,
  });
});

test.each([
  [401, "Your account is not active.", "HTTP 401", "PROVIDER_AUTH"],
  [403, "Project has no access to this model", "HTTP 403", "PROVIDER_FORBIDDEN"],
  [
    429,
    "You exceeded your current quota (insufficient_quota), please check your billing.",
    "HTTP 429",
    "PROVIDER_RATE_LIMIT",
  ],
  [503, "Loading model", "HTTP 503", "PROVIDER_SERVER"],
])(
  "PRV-16: what a provider says with HTTP %s (%s) stands beside our sentence, without the credential",
  async (status, message, words, code) => {
    for (const name of ["chat", "messages"]) {
      vi.stubEnv("SERVICE_API_KEY", "canary-key-1234567890");
      const said = { error: { message: `${message} [canary-key-1234567890]` } };
      const { events } = await ask(name, {}, [{ status, json: said }]);
      const [last] = events.slice(-1);
      expect(last).toMatchObject({ type: "error", failure: { code, status } });
      const sentence = last?.type === "error" ? last.failure.message : "";
      expect(sentence).toContain(words);
      expect(sentence).toContain(`it says: ${message} [***]`);
      expect(sentence).not.toContain("canary");
    }
  },
);

test("PRV-16: a key that could be a word spoils no sentence, and a refusal without words adds none", async () => {
  vi.stubEnv("SERVICE_API_KEY", "k");
  const said = { error: { message: "maximum bucket is 16384 tokens" } };
  const { events } = await ask("chat", {}, [{ status: 400, json: said }]);
  expect(events.at(-1)).toMatchObject({
    failure: { message: expect.stringContaining("maximum bucket is 16384 tokens") },
  });
  const { events: silent } = await ask("chat", {}, [{ status: 503, body: "" }]);
  expect(silent.at(-1)).toMatchObject({ failure: { message: expect.not.stringContaining("it says") } });
});

test("SDK-07: in the responses format sealed thoughts come back to the server before what they led to, and to no other format", async () => {
  const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "c2VhbGVk" };
  const call = { type: "function_call", call_id: "c1", name: "clock", arguments: "{}" };
  const thinking = { object: "response", status: "completed", output: [thought, call] };
  const { bodies, events } = await ask("responses", providers.effortful, [{ json: thinking }]);
  expect(bodies[0]).toMatchObject({ include: ["reasoning.encrypted_content"], store: false });
  const given = events.find((event) => event.type === "provider_data");
  expect(given).toEqual({ type: "provider_data", data: { responses: [thought] } });
  const earlier = {
    messages: [
      { role: "user", parts: textParts("what time is it?") },
      {
        role: "assistant",
        parts: [],
        toolCalls: [{ id: "c1", name: "clock", args: "{}" }],
        providerData: given?.type === "provider_data" ? given.data : null,
      },
      { role: "tool", callId: "c1", name: "clock", parts: textParts("noon"), failed: false },
    ],
  };
  const { bodies: next } = await ask("responses", providers.effortful, [{ json: answer }], earlier);
  expect(next[0].input.slice(1, 3)).toEqual([thought, call]);
  const { bodies: other } = await ask("chat", {}, [{ json: answer }], earlier);
  expect(JSON.stringify(other[0])).not.toContain("c2VhbGVk");
});

/** Returns the row of status about the window. */
async function rowOf(options: TestHostOptions): Promise<CheckRow | undefined> {
  await using t = await startTestHost({ ...options, plugins: [history, ...(options.plugins ?? [])] });
  const [row] = (await t.slot(Checks).get("context-window")?.run(AbortSignal.timeout(5_000))) ?? [];
  return row;
}

test("CTX-01: status asks no server for the window, and gives no advice where a provider knows it by itself", async () => {
  const { table, plugin, config, provider } = formats.chat;
  const network = fakeNet([
    { url: /model\.test/, replies: [{ json: { data: [{ id: "m", context_length: 9 }] } }] },
  ]);
  const asked = { ...config, default_provider: provider, default_model: "m", providers: { [table]: {} } };
  const row = await rowOf({ plugins: [network, plugin], config: asked });
  expect(row).toMatchObject({ detail: "128000 tokens (assumed)", cure: expect.anything() });
  expect(network.requests.map(({ signal }) => signal.aborted)).toEqual([true]);
  expect(await rowOf({ plugins: [demo] })).toEqual({
    what: "context window",
    state: "ok",
    detail: "128000 tokens (provider)",
  });
});
