import { expect, test } from "vitest";
import { fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { textParts, definePlugin, defineTool, errors, Tools, Upstream } from "@gantry/sdk";
import type { NetRequest } from "@gantry/sdk";
import { Type } from "typebox";
import net from "../net-undici/index.ts";
import router from "../provider-router/index.ts";
import plugin from "./index.ts";
import { home, lastOf, sentence, start, textOf, vendor } from "./vendor.test-kit.ts";
import type { Reply } from "./vendor.test-kit.ts";

const STREAM = ":streamGenerateContent";
const keyed = { config: { api_key: "CANARY-key" } };
const part = (parts: object[], more: object = {}): object => ({
  candidates: [{ content: { parts }, ...more }],
});
const answering = (answer: Reply) => vendor({ [STREAM]: () => answer });

test("GEN-01: contents with the roles user and model, systemInstruction joined by a blank line, generationConfig with temperature and 8192", async () => {
  using _ = home();
  await using server = await answering({ sse: [sentence("hello")] });
  await using genlang = await start({ endpoints: server.endpoints, ...keyed });
  await genlang.chat(
    [
      { role: "system", parts: textParts("One.") },
      { role: "system", parts: textParts("Two.") },
      { role: "user", parts: textParts("hi") },
      { role: "assistant", parts: textParts("yes?"), toolCalls: [] },
      { role: "user", parts: textParts("go on") },
    ],
    { temperature: 0.25, maxTokens: 5 },
  );
  expect(server.seen[0]?.body).toEqual({
    contents: [
      { role: "user", parts: [{ text: "hi" }] },
      { role: "model", parts: [{ text: "yes?" }] },
      { role: "user", parts: [{ text: "go on" }] },
    ],
    systemInstruction: { parts: [{ text: "One.\n\nTwo." }] },
    generationConfig: { temperature: 0.25, maxOutputTokens: 8192 },
  });
});

test("GEN-02: an image marker becomes inlineData between its texts; a broken marker stays text", async () => {
  using _ = home();
  await using server = await answering({ sse: [sentence("ok")] });
  await using genlang = await start({ endpoints: server.endpoints, ...keyed });
  const said = "see [IMAGE:data:image/png;base64,iVBORw0K] and [IMAGE:data:image/png;base64,%%%]";
  expect(await genlang.host.ask(said, { provider: "genlang" })).toMatchObject({ reply: "ok" });
  expect(server.seen[0]?.body.contents).toEqual([
    {
      role: "user",
      parts: [
        { text: "see " },
        { inlineData: { mimeType: "image/png", data: "iVBORw0K" } },
        { text: " and [IMAGE:data:image/png;base64,%%%]" },
      ],
    },
  ]);
});

test("GEN-03: thoughts stand apart, text arrives in pieces, usage is the last usageMetadata", async () => {
  using _ = home();
  await using server = await answering({
    sse: [
      {
        ...part([{ text: "secret plan", thought: true }]),
        usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 1 },
      },
      part([{ text: "hel" }, { text: "hidden", thought: true }, { text: "lo" }]),
      {
        ...part([{ text: "!" }], { finishReason: "STOP" }),
        usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3 },
      },
    ],
  });
  await using genlang = await start({ endpoints: server.endpoints, ...keyed });
  const events = await genlang.chat("hi");
  expect(
    events.filter((event) => event.type === "text" && event.text !== "").map((event) => textOf([event])),
  ).toEqual(["hel", "lo", "!"]);
  expect(events.filter(({ type }) => type === "thought")).toEqual([
    { type: "thought", text: "secret plan" },
    { type: "thought", text: "hidden" },
  ]);
  expect(events.slice(-2)).toEqual([
    { type: "usage", inputTokens: 7, outputTokens: 3 },
    { type: "stop", reason: "EndTurn" },
  ]);
});

test.each([
  ["STOP", "EndTurn"],
  ["MAX_TOKENS", "MaxTokens"],
  ["SAFETY", "ContentFilter"],
  ["RECITATION", "ContentFilter"],
  ["SOMETHING_NEW", "EndTurn"],
])("GEN-03: the stop reason %s is %s", async (finishReason, reason) => {
  using _ = home();
  await using server = await answering({
    sse: [{ candidates: [{ content: { parts: [{ text: "x" }] }, finishReason }] }],
  });
  await using genlang = await start({ endpoints: server.endpoints, ...keyed });
  expect(lastOf(await genlang.chat("hi"))).toEqual({ type: "stop", reason });
});

test("GEN-03: a blocked prompt is a content filter", async () => {
  using _ = home();
  await using server = await answering({ sse: [{ promptFeedback: { blockReason: "SAFETY" } }] });
  await using genlang = await start({ endpoints: server.endpoints, ...keyed });
  expect(await genlang.chat("hi")).toEqual([{ type: "stop", reason: "ContentFilter" }]);
});

test("GEN-05: an API key goes in the key query parameter of the public address, and nowhere else", async () => {
  using _ = home();
  await using server = await answering({ sse: [sentence("hello")] });
  await using genlang = await start({ endpoints: server.endpoints, ...keyed });
  expect(textOf(await genlang.chat("hi", { model: "models/gemini-x" }))).toBe("hello");
  const [seen] = server.seen;
  expect(seen).toMatchObject({
    method: "POST",
    path: "/v1beta/models/gemini-x:streamGenerateContent",
    query: { key: "CANARY-key", alt: "sse" },
  });
  expect(seen?.auth).toBeUndefined();
  expect(seen?.raw).not.toContain("CANARY");
});

test("GEN-05: a server without streaming is asked for the whole answer, and from then on at once", async () => {
  using _ = home();
  await using server = await vendor({ ":generateContent": () => ({ json: sentence("whole") }) });
  await using genlang = await start({ endpoints: server.endpoints, ...keyed });
  for (let turn = 0; turn < 2; turn++) expect(textOf(await genlang.chat("hi"))).toBe("whole");
  expect(server.seen.map(({ path }) => path.split(":")[1])).toEqual([
    "streamGenerateContent",
    "generateContent",
    "generateContent",
  ]);
  expect(server.at(":generateContent")[0]?.query).toEqual({ key: "CANARY-key" });
});

test("GEN-05: a server that answers the stream with plain JSON, one object or a list, is understood", async () => {
  using _ = home();
  await using server = await vendor({
    [STREAM]: (_seen, times) => ({ json: times === 1 ? sentence("one") : [sentence("a"), sentence("b")] }),
  });
  await using genlang = await start({ endpoints: server.endpoints, ...keyed });
  expect(textOf(await genlang.chat("hi"))).toBe("one");
  expect(textOf(await genlang.chat("hi"))).toBe("ab");
});

test("GEN-11: tools are refused natively, capabilities say so, and vision is there", async () => {
  using _ = home();
  await using server = await answering({ sse: [sentence("x")] });
  await using genlang = await start({ endpoints: server.endpoints, ...keyed });
  expect(genlang.provider.capabilities).toMatchObject({ nativeToolCalling: false, vision: true });
  const events = await genlang.chat("hi", {
    tools: [{ name: "t", description: "d", input: Type.Object({}) }],
  });
  expect(events).toMatchObject([
    {
      type: "error",
      failure: {
        code: "GENLANG_TOOLS",
        retry: false,
        message: expect.stringContaining("native tool calling is unsupported there"),
      },
    },
  ]);
  expect(server.seen).toEqual([]);
});

test("GEN-11: the agent still uses a tool, as text, through the router", async () => {
  using _ = home();
  const tool = defineTool({
    name: "clock",
    description: "Tells the time.",
    input: Type.Object({ zone: Type.String() }),
    run: async ({ args }) => `It is noon in ${args.zone}.`,
  });
  const clock = definePlugin({
    name: "tool-clock",
    provides: [Tools],
    setup: (host) => host.provide(Tools, tool),
  });
  await using server = await vendor({
    [STREAM]: ({ body }, times) => {
      const word = /<tool_call:(\w+)>/.exec(body.systemInstruction.parts[0].text)?.[1];
      const call = `<tool_call:${word}>{"name":"clock","args":{"zone":"Rome"}}</tool_call:${word}>`;
      return {
        sse: [
          sentence(
            times === 1
              ? call
              : `Noon: ${body.contents.at(-1).parts[0].text.includes("It is noon in Rome.")}`,
          ),
        ],
      };
    },
  });
  await using host = await startTestHost({
    plugins: [memoryStore(), net, router, plugin, clock],
    config: {
      api_key: "k",
      default_provider: "gemini",
      default_model: "gemini-x",
      endpoints: server.endpoints,
    },
  });
  const result = await host.ask("What time is it in Rome?", {
    approvals: "yes",
    provider: "gemini",
    model: "gemini-x",
  });
  expect(result).toMatchObject({
    reply: "Noon: true",
    provider: "genlang",
    stop_reason: "EndTurn",
    tool_calls: [{ tool: "clock", decision: "allowed" }],
  });
});

test("PRV-11: genlang without a credential falls back, and the answer says who served", async () => {
  using _ = home();
  await using host = await startTestHost({
    plugins: [memoryStore(), net, router, plugin, fakeProvider(["served"])],
    config: { reliability: { fallback_providers: ["fake"] } },
  });
  expect(await host.ask("hi", { provider: "genlang" })).toMatchObject({ reply: "served", provider: "fake" });
});

test.each([-0.1, 2.1, Number.NaN])(
  "GEN-12: a temperature of %d is refused before anything is sent",
  async (temperature) => {
    using _ = home();
    await using server = await answering({ sse: [sentence("x")] });
    await using genlang = await start({ endpoints: server.endpoints, ...keyed });
    expect(await genlang.chat("hi", { temperature })).toMatchObject([
      { type: "error", failure: { code: "GENLANG_TEMPERATURE" } },
    ]);
    expect(server.seen).toEqual([]);
  },
);

test.each([0, 2])("GEN-12: a temperature of %d is sent", async (temperature) => {
  using _ = home();
  await using server = await answering({ sse: [sentence("x")] });
  await using genlang = await start({ endpoints: server.endpoints, ...keyed });
  await genlang.chat("hi", { temperature });
  expect(server.seen[0]?.body.generationConfig.temperature).toBe(temperature);
});

test("GEN-12: a silent server is a timeout after timeout_seconds, 120 by default", async () => {
  using _ = home();
  await using server = await answering("hang");
  await using genlang = await start({
    endpoints: server.endpoints,
    config: { api_key: "k", providers: { genlang: { timeout_seconds: 1 } } },
  });
  expect(lastOf(await genlang.chat("hi"))).toMatchObject({
    failure: {
      code: "PROVIDER_TIMEOUT",
      retry: true,
      message: expect.stringContaining("did not answer in 1 s"),
    },
  });
});

test("GEN-12: a request may wait 120 s for an answer and 10 s for a connection", async () => {
  using _ = home();
  const asked: NetRequest[] = [];
  const refusing = definePlugin({
    name: "net-refusing",
    provides: [Upstream],
    setup: (host) =>
      host.provide(Upstream, {
        async fetch(request) {
          asked.push(request);
          throw errors.NET_TIMEOUT("the server", 10);
        },
        webSocket: () => Promise.reject(new Error("none")),
        connect: () => Promise.reject(new Error("none")),
      }),
  });
  await using host = await startTestHost({
    plugins: [refusing, plugin],
    config: { default_provider: "genlang", api_key: "k" },
  });
  const result = await host.ask("hi", { provider: "genlang", model: "m" });
  expect(asked).toMatchObject([{ timeoutMs: 120_000, connectTimeoutMs: 10_000 }]);
  expect(result.error).toMatchObject({ code: "PROVIDER_TIMEOUT", retry: true });
});

test("GEN-12: a cancelled request ends at once", async () => {
  using _ = home();
  await using server = await answering("hang");
  await using genlang = await start({ endpoints: server.endpoints, ...keyed });
  const cancel = new AbortController();
  setTimeout(() => cancel.abort(), 30);
  expect(lastOf(await genlang.chat("hi", { signal: cancel.signal }))).toMatchObject({
    failure: { code: "PROVIDER_CANCELLED" },
  });
});

const invalid = {
  error: {
    code: 400,
    message: "API key not valid. Please pass a valid API key.",
    details: [{ reason: "API_KEY_INVALID" }],
  },
};
test.each<[string, Reply, object]>([
  [
    "a wrong key",
    { status: 400, json: invalid },
    { code: "PROVIDER_AUTH", status: 401, message: expect.stringContaining("HTTP 401") },
  ],
  ["403", { status: 403, json: {} }, { code: "PROVIDER_FORBIDDEN" }],
  [
    "404",
    { status: 404, json: {} },
    { code: "PROVIDER_MODEL_UNKNOWN", message: expect.stringContaining("HTTP 404 model not found") },
  ],
  [
    "429 with Retry-After",
    { status: 429, json: {}, headers: { "retry-after": "7" } },
    { code: "PROVIDER_RATE_LIMIT", retryAfterMs: 7_000 },
  ],
  [
    "429 with RetryInfo",
    { status: 429, json: { error: { details: [{ retryDelay: "3.5s" }] } } },
    { code: "PROVIDER_RATE_LIMIT", retryAfterMs: 3_500, retry: true },
  ],
  ["503", { status: 503, json: "<html>" }, { code: "PROVIDER_SERVER", status: 503, retry: true }],
  ["a body that is no JSON", { json: "<html>" }, { code: "PROVIDER_MALFORMED" }],
  [
    "JSON of another shape",
    { json: { candidates: [null, 5], usageMetadata: "x" } },
    { code: "PROVIDER_MALFORMED" },
  ],
  ["an event that is no JSON", { sse: [sentence("a"), "{"] }, { code: "PROVIDER_MALFORMED" }],
  [
    "a stream that was cut",
    { sse: [{ candidates: [{ content: { parts: [{ text: "half" }] } }] }], cut: true },
    { retry: true },
  ],
  [
    "an error inside the stream",
    { sse: [{ error: { code: 503, message: "overloaded" } }] },
    { code: "PROVIDER_SERVER", status: 503 },
  ],
  [
    "a stop without text",
    { sse: [{ candidates: [{ finishReason: "MALFORMED_FUNCTION_CALL" }] }] },
    { code: "PROVIDER_MALFORMED" },
  ],
])("PRV-15: %s is one final error event, and the key is nowhere", async (_, answer, failure) => {
  using clean = home();
  expect(clean.path).not.toBe("");
  await using server = await vendor({ [STREAM]: () => answer, ":generateContent": () => answer });
  await using genlang = await start({ endpoints: server.endpoints, ...keyed });
  const events = await genlang.chat("hi");
  expect(lastOf(events)).toMatchObject({ type: "error", failure });
  expect(events.filter((event) => event.type === "error" || event.type === "stop")).toHaveLength(1);
  expect(JSON.stringify([events, genlang.host.logs, genlang.host.audit])).not.toContain("CANARY");
});

test("PRV-13: a server that cannot be reached is told without the key", async () => {
  using _ = home();
  const { endpoints, [Symbol.asyncDispose]: close } = await answering("hang");
  await close();
  await using genlang = await start({ endpoints, ...keyed });
  const events = await genlang.chat("hi");
  expect(lastOf(events)).toMatchObject({ failure: { code: "PROVIDER_REFUSED", retry: true } });
  expect(JSON.stringify(events)).not.toMatch(/CANARY|key=/);
  for (const asked of [genlang.provider.warmup, genlang.provider.models]) {
    const failed = await asked?.(new AbortController().signal).catch((error: unknown) => error);
    expect(failed).toMatchObject({
      code: "PROVIDER_REFUSED",
      message: expect.stringMatching(/^genlang .*cannot be reached.*HTTPS_PROXY/),
    });
  }
});

test("GEN-14: warmup and models with a key list the models, page by page, that can chat", async () => {
  using _ = home();
  await using server = await vendor({
    "/v1beta/models": ({ query }) => ({
      json: query["pageToken"]
        ? { models: [{ name: "models/c" }, { name: "models/c" }, { name: "models/\u001b[2J" }] }
        : {
            models: [
              { name: "models/a", supportedGenerationMethods: ["generateContent"] },
              { name: "models/b", supportedGenerationMethods: ["embedContent"] },
            ],
            nextPageToken: "2",
          },
    }),
  });
  await using genlang = await start({ endpoints: server.endpoints, ...keyed });
  expect(await genlang.provider.models?.(new AbortController().signal)).toEqual(["a", "c"]);
  expect(await genlang.provider.warmup?.(new AbortController().signal)).toBe(
    "genlang is ready with the API key from config: 2 models.",
  );
  expect(server.seen.every(({ method, query }) => method === "GET" && query["key"] === "CANARY-key")).toBe(
    true,
  );
});

test("GEN-14: a wrong key at warmup is one coded error without the key", async () => {
  using _ = home();
  await using server = await vendor({ "/v1beta/models": () => ({ status: 400, json: invalid }) });
  await using genlang = await start({ endpoints: server.endpoints, ...keyed });
  const failed = await genlang.provider
    .warmup?.(new AbortController().signal)
    .catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: "PROVIDER_AUTH", message: expect.not.stringContaining("CANARY") });
});

test("GEN-14: an address without a list of models is named, with the key to correct", async () => {
  using _ = home();
  await using server = await vendor({ "/v1beta/models": () => ({ status: 404, json: {} }) });
  await using genlang = await start({ endpoints: server.endpoints, ...keyed });
  await expect(genlang.provider.models?.(new AbortController().signal)).rejects.toMatchObject({
    code: "GENLANG_LIST_ABSENT",
    message: expect.stringMatching(/no list of models at \S+\/v1beta\/models \(HTTP 404\).*genlang_url/),
  });
});
