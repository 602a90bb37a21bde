import { LLMock } from "@copilotkit/aimock";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { textParts } from "@gantry/sdk";
import type { ChatMessage, ProviderEvent } from "@gantry/sdk";
import { MessagesAnswer } from "./messages-answer.ts";
import {
  picture,
  withMedia,
  begin,
  callsOf,
  collect,
  end,
  failureOf,
  json,
  provider,
  request,
  say,
  serve,
  stream,
  textOf,
  tools,
  user,
} from "./messages.test-kit.ts";

const use = (id: string, name: string, args: string) => ({ id, name, args });

const block = (index: number, partial_json: string): object[] => [
  {
    type: "content_block_start",
    index,
    content_block: { type: "tool_use", id: `t${index}`, name: "a", input: {} },
  },
  { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json } },
];

let mock: LLMock;
beforeAll(async () => {
  mock = await LLMock.create({ port: 0 });
  mock.onMessage("hello", { content: "Hi there, how are you?" }, { chunkSize: 3 });
  mock.onMessage("two calls", {
    content: "Looking.",
    toolCalls: [
      { id: "toolu_one", name: "file_list", arguments: '{"path":"a directory with a long name"}' },
      { id: "toolu_two", name: "file_read", arguments: '{"path":"b"}' },
    ],
  });
  mock.onMessage("long", { content: "cut", finishReason: "length" });
  mock.on(
    { userMessage: "limited" },
    { error: { message: "slow down", type: "rate_limit_error" }, status: 429, retryAfter: 7 },
  );
  mock.onMessage(
    "break",
    { content: "one two three four five six" },
    { chunkSize: 4, truncateAfterChunks: 3 },
  );
});
afterAll(() => mock.stop());

test("PRV-02: messages-custom: posts to /v1/messages with system apart, Bearer and version, and reads content, stop_reason and usage", async () => {
  await using server = await serve((_, response) =>
    json(response, 200, {
      type: "message",
      role: "assistant",
      content: [
        { type: "text", text: "Hi." },
        { type: "text", text: " You." },
      ],
      stop_reason: "end_turn",
      usage: { input_tokens: 4, output_tokens: 2 },
    }),
  );
  await using p = provider(server.url, { api_key: "k" });
  const messages: ChatMessage[] = [
    { role: "system", parts: textParts("One.") },
    { role: "system", parts: textParts("Two.") },
    user("hello"),
  ];
  expect(await collect(p, request(messages, { maxTokens: 100 }))).toEqual([
    { type: "text", text: "Hi." },
    { type: "text", text: " You." },
    { type: "usage", inputTokens: 4, outputTokens: 2 },
    { type: "stop", reason: "EndTurn" },
  ]);
  expect(server.asked[0]).toMatchObject({
    method: "POST",
    path: "/v1/messages",
    headers: { authorization: "Bearer k", "anthropic-version": "2023-06-01" },
  });
  expect(server.asked[0]?.body).toEqual({
    model: "m",
    max_tokens: 100,
    system: "One.\n\nTwo.",
    messages: [{ role: "user", content: "hello" }],
    temperature: 0.7,
    stream: true,
  });
});

test("PRV-06: an answer of a server nobody here wrote is streamed in pieces, with its usage", async () => {
  await using p = provider(mock.url, { api_key: "k" });
  const events = await collect(p, request("hello"));
  expect(textOf(events)).toBe("Hi there, how are you?");
  expect(events.filter((event) => event.type === "text").length).toBeGreaterThan(3);
  expect(events.at(-2)?.type).toBe("usage");
  expect(events.at(-1)).toEqual({ type: "stop", reason: "EndTurn" });
});

test("PRV-07: several calls of one answer keep their ids, their order and their streamed arguments", async () => {
  await using p = provider(mock.url, { api_key: "k" });
  const events = await collect(p, request("two calls", { tools: tools("file_list", "file_read") }));
  expect(textOf(events)).toBe("Looking.");
  expect(callsOf(events)).toEqual([
    use("toolu_one", "file_list", '{"path":"a directory with a long name"}'),
    use("toolu_two", "file_read", '{"path":"b"}'),
  ]);
  expect(events.at(-1)).toEqual({ type: "stop", reason: "ToolUse" });
});

test.each([
  ["end_turn", "EndTurn"],
  ["stop_sequence", "EndTurn"],
  ["max_tokens", "MaxTokens"],
  ["refusal", "ContentFilter"],
  ["tool_use", "ToolUse"],
])("PRV-02: stop_reason %s is %s, with the counts of the whole stream", async (given, reason) => {
  await using server = await serve((_, response) =>
    stream(response, [begin, { type: "ping" }, ...say("x"), ...end(given, 7)]),
  );
  await using p = provider(server.url);
  expect(await collect(p, request("hello"))).toEqual([
    { type: "text", text: "x" },
    { type: "usage", inputTokens: 11, outputTokens: 7 },
    { type: "stop", reason },
  ]);
});

test("SDK-18: PRV-02: the usage tells the model that has answered and what went into the cache", async () => {
  const counts = { input_tokens: 3, cache_read_input_tokens: 4, cache_creation_input_tokens: 5 };
  const started = { type: "message_start", message: { model: "big-2", usage: counts } };
  await using server = await serve((_, response) =>
    stream(response, [started, ...say("x"), ...end("end_turn", 7)]),
  );
  await using p = provider(server.url);
  expect((await collect(p, request("hello")))[1]).toEqual({
    type: "usage",
    inputTokens: 12,
    outputTokens: 7,
    cachedTokens: 4,
    cacheWriteTokens: 5,
    model: "big-2",
  });
  expect(p.server).toBe(new URL(server.url).host);
});

const shown = (events: readonly ProviderEvent[]) =>
  events.filter((event) => "text" in event && event.text !== "");

test("PRV-02: thinking is told apart from the text, streamed or whole", async () => {
  const thinking = [
    { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "hm" } },
    { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "s" } },
  ];
  await using server = await serve((_, response) =>
    stream(response, [begin, ...thinking, ...say("yes", 1), ...end("end_turn")]),
  );
  await using p = provider(server.url);
  const told = [
    { type: "thought", text: "hm" },
    { type: "text", text: "yes" },
  ];
  expect(shown(await collect(p, request("hello")))).toEqual(told);
  const content = [
    { type: "thinking", thinking: "hm" },
    { type: "text", text: "yes" },
  ];
  const reader = new MessagesAnswer("p", "m", []);
  expect(shown(reader.take({ type: "message", content, stop_reason: "end_turn" }))).toEqual(told);
});

test("PRV-07: all results of one answer go back in order in one user message, together with what the user says next", async () => {
  await using server = await serve((_, response) =>
    stream(response, [begin, ...say("ok"), ...end("end_turn")]),
  );
  await using p = provider(server.url);
  const messages: ChatMessage[] = [
    user("read both"),
    {
      role: "assistant",
      parts: textParts("Reading."),
      toolCalls: [use("t1", "file_read", '{"path":"a"}'), use("functions.x:2", "file_read", "{path")],
    },
    { role: "tool", callId: "t1", name: "file_read", parts: textParts("A"), failed: false },
    {
      role: "tool",
      callId: "functions.x:2",
      name: "file_read",
      parts: textParts("bad arguments"),
      failed: true,
    },
    user("and now?"),
  ];
  await collect(p, request(messages, { tools: tools("file_read") }));
  const { messages: sent, tools: offered } = server.asked[0]!.body;
  expect(sent).toEqual([
    { role: "user", content: [{ type: "text", text: "read both", cache_control: { type: "ephemeral" } }] },
    {
      role: "assistant",
      content: [
        { type: "text", text: "Reading." },
        { type: "tool_use", id: "t1", name: "file_read", input: { path: "a" } },
        { type: "tool_use", id: "functions_x_2", name: "file_read", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "t1", content: "A", is_error: false },
        { type: "tool_result", tool_use_id: "functions_x_2", content: "bad arguments", is_error: true },
        { type: "text", text: "and now?", cache_control: { type: "ephemeral" } },
      ],
    },
  ]);
  expect(offered).toEqual([
    {
      name: "file_read",
      description: "The tool file_read.",
      input_schema: { type: "object", required: ["path"], properties: { path: { type: "string" } } },
      cache_control: { type: "ephemeral" },
    },
  ]);
});

test("SDK-07: a picture goes out as an image, in a result too, and no block is ever empty", async () => {
  await using server = await serve((_, response) =>
    stream(response, [begin, ...say("ok"), ...end("end_turn")]),
  );
  await using p = provider(server.url);
  const silent: ChatMessage = { role: "assistant", parts: textParts(""), toolCalls: [] };
  const seen: ChatMessage = { role: "user", parts: [await picture(), ...textParts("what?")] };
  const result: ChatMessage = {
    role: "tool",
    callId: "1",
    name: "shot",
    parts: [...textParts("the page"), await picture("application/pdf", "JVBE")],
    failed: false,
  };
  await collect(p, request([seen, silent, user("  "), result], withMedia));
  expect(server.asked[0]?.body.messages).toEqual([
    {
      role: "user",
      content: [
        { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0=" } },
        { type: "text", text: "what?" },
        { type: "text", text: "(no text)" },
        {
          type: "tool_result",
          tool_use_id: "1",
          content: [
            { type: "text", text: "the page" },
            { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBE" } },
          ],
          is_error: false,
        },
      ],
    },
  ]);
});

test.each([
  ["max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for m", "max_tokens", 4096],
  ["`temperature` is deprecated for this model.", "temperature", undefined],
])("PRV-02: what a model does not take (%s) is learned and not sent again", async (message, field, value) => {
  await using server = await serve(({ body }, response) =>
    body[field] === value
      ? stream(response, [begin, ...say("ok"), ...end("end_turn")])
      : json(response, 400, { type: "error", error: { type: "invalid_request_error", message } }),
  );
  await using p = provider(server.url);
  for (let i = 0; i < 2; i += 1) expect(textOf(await collect(p, request("hello")))).toBe("ok");
  expect(server.asked).toHaveLength(3);
});

test.each([
  [401, "PROVIDER_AUTH", /HTTP 401/],
  [403, "PROVIDER_FORBIDDEN", /HTTP 403/],
  [404, "PROVIDER_MODEL_UNKNOWN", /HTTP 404 model not found for `m`/],
  [400, "PROVIDER_REQUEST", /HTTP 400\): \*\*\* said no/],
  [529, "PROVIDER_SERVER", /HTTP 529/],
])(
  "PRV-13: HTTP %s is one sentence with the check to make, and without the key",
  async (status, code, words) => {
    await using server = await serve((_, response) =>
      json(response, status, { type: "error", error: { type: "x", message: "canary-key said no" } }),
    );
    await using p = provider(server.url, { api_key: "canary-key" });
    const failure = failureOf(await collect(p, request("hello")));
    expect(failure).toMatchObject({ code, status, message: expect.stringMatching(words) });
    expect(server.asked).toHaveLength(1);
  },
);

test("PRV-13: 429 carries what Retry-After asks for", async () => {
  await using p = provider(mock.url, { api_key: "k" });
  expect(failureOf(await collect(p, request("limited")))).toMatchObject({
    code: "PROVIDER_RATE_LIMIT",
    retryAfterMs: 7000,
    retry: true,
  });
});

test("PRV-13: an error event after some text ends the answer with its meaning", async () => {
  const overloaded = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
  await using server = await serve((_, response) => stream(response, [begin, ...say("half"), overloaded]));
  await using p = provider(server.url);
  const events = await collect(p, request("hello"));
  expect(textOf(events)).toBe("half");
  expect(failureOf(events)).toMatchObject({ code: "PROVIDER_SERVER", retry: true });
});

test("PRV-15: an answer whose connection breaks ends in one error that says so", async () => {
  await using p = provider(mock.url, { api_key: "k" });
  expect(failureOf(await collect(p, request("break")))).toMatchObject({
    retry: true,
    message: expect.stringContaining("broke off"),
  });
});

test.each([
  ["half an answer", [begin, ...say("half")], "PROVIDER_MALFORMED", "half"],
  ["nothing", [], "PROVIDER_EMPTY", ""],
  ["a call that is not there", [begin, ...end("tool_use")], "PROVIDER_EMPTY", ""],
  ["a web page", ["<html>hello</html>"], "PROVIDER_MALFORMED", ""],
  ["broken JSON", ['data: {"type":\n\n'], "PROVIDER_MALFORMED", ""],
  ["a number", ["data: 7\n\n"], "PROVIDER_MALFORMED", ""],
])("PRV-15: %s is one error event", async (_, pieces, code, text) => {
  await using server = await serve((__, response) => stream(response, pieces));
  await using p = provider(server.url);
  const events = await collect(p, request("hello"));
  expect(textOf(events)).toBe(text);
  expect(failureOf(events).code).toBe(code);
});

test("PRV-15: silence in the middle is a timeout, an endless answer is cut off by size", async () => {
  const line = say("x".repeat(256 * 1024))[1];
  await using server = await serve(({ body }, response) => {
    stream(response, [begin, ...say("begin")], false);
    if (body.messages[0].content === "silence") return;
    const more = (): void => {
      while (!response.destroyed && response.write(`data: ${JSON.stringify(line)}\n\n`));
    };
    response.on("drain", more);
    more();
  });
  await using p = provider(server.url, { providers: { "messages-custom": { timeout_seconds: 1 } } });
  expect(failureOf(await collect(p, request("silence"))).code).toBe("PROVIDER_TIMEOUT");
  expect(failureOf(await collect(p, request("endless"))).code).toBe("PROVIDER_TOO_LARGE");
});

test("PRV-02: an answer holds what the format names, and may leave its type and its reason out", async () => {
  const content = [{ type: "text", text: "Hi." }];
  await using server = await serve(({ body }, response) =>
    json(
      response,
      200,
      body.model === "bare"
        ? { content }
        : { content, stop_reason: "max_tokens", usage: { input_tokens: 4, output_tokens: 2 } },
    ),
  );
  await using p = provider(server.url);
  expect(await collect(p, request("hello"))).toEqual([
    { type: "text", text: "Hi." },
    { type: "usage", inputTokens: 4, outputTokens: 2 },
    { type: "stop", reason: "MaxTokens" },
  ]);
  expect((await collect(p, request("hello", { model: "bare" }))).at(-1)).toEqual({
    type: "stop",
    reason: "EndTurn",
  });
});

test.each([undefined, 0])("PRV-07: blocks that all have the index %j lose no call", async (index) => {
  const blocks = [...block(0, '{"path":"x"}'), ...block(1, '{"path":"y"}')].map((event) => ({
    ...event,
    index,
  }));
  await using server = await serve((_, response) => stream(response, [begin, ...blocks, ...end("tool_use")]));
  await using p = provider(server.url);
  expect(callsOf(await collect(p, request("hello", { tools: tools("a") })))).toEqual([
    use("t0", "a", '{"path":"x"}'),
    use("t1", "a", '{"path":"y"}'),
  ]);
});

test.each([
  ["without the blank line behind it", 'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}'],
  [
    "with [DONE] behind it",
    'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\ndata: [DONE]\n\n',
  ],
  ["with a reason nobody knows", 'data: {"type":"message_delta","delta":{"stop_reason":"constructor"}}\n\n'],
])("PRV-06: a last event %s counts, and the text before it", async (_, last) => {
  await using server = await serve((__, response) => {
    const events = [begin, ...say("done")].map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`);
    response.writeHead(200, { "content-type": "text/event-stream" }).end(`\uFEFF${events.join("")}${last}`);
  });
  await using p = provider(server.url);
  const events = await collect(p, request("hello"));
  expect(textOf(events)).toBe("done");
  expect(events.at(-1)).toEqual({ type: "stop", reason: "EndTurn" });
});

test("PRV-06: cancel stops the request at the server and is the last event", async () => {
  const gone = Promise.withResolvers<true>();
  await using server = await serve((_, response) => {
    response.on("close", () => gone.resolve(true));
    stream(response, [begin, ...say("begin")], false);
  });
  await using p = provider(server.url);
  const stop = new AbortController();
  const events: ProviderEvent[] = [];
  for await (const event of p.chat(request("hello", { signal: stop.signal }))) {
    events.push(event);
    stop.abort();
  }
  expect(failureOf(events)).toMatchObject({ code: "PROVIDER_CANCELLED", retry: false });
  expect(await gone.promise).toBe(true);
});

test("PRV-07: of an answer that hit its limit, only calls whose arguments are whole are made", async () => {
  await using server = await serve((_, response) =>
    stream(response, [begin, ...block(0, '{"path":"x"}'), ...block(1, '{"path":"/et'), ...end("max_tokens")]),
  );
  await using p = provider(server.url);
  const events = await collect(p, request("hello", { tools: tools("a") }));
  expect(callsOf(events)).toEqual([use("t0", "a", '{"path":"x"}')]);
  expect(events.at(-1)).toEqual({ type: "stop", reason: "MaxTokens" });
});

test("PRV-15: any JSON in place of events ends in exactly one end and never throws", () => {
  const types = [
    "message",
    "message_start",
    "content_block_start",
    "content_block_delta",
    "message_delta",
    "message_stop",
    "error",
    "x",
  ];
  const event = fc.record({
    type: fc.constantFrom(...types),
    index: fc.jsonValue(),
    delta: fc.jsonValue(),
    content_block: fc.jsonValue(),
  });
  const message = fc.record({
    type: fc.constant("message"),
    content: fc.jsonValue(),
    usage: fc.jsonValue(),
    stop_reason: fc.jsonValue(),
  });
  fc.assert(
    fc.property(fc.array(fc.oneof(event, message, fc.jsonValue()), { maxLength: 8 }), (values) => {
      const reader = new MessagesAnswer("p", undefined, []);
      const events = [...values.flatMap((value) => [...reader.take(value)]), ...reader.end()];
      expect(events.filter(({ type }) => type === "stop" || type === "error")).toHaveLength(1);
      expect(["stop", "error"]).toContain(events.at(-1)?.type);
    }),
  );
});

test("CTX-03: where conversation and answer together are too long, that one request goes with a bound that fits", async () => {
  const message =
    "input length and `max_tokens` exceed context limit: 198000 + 8192 > 200000, decrease one of them";
  await using server = await serve(({ body }, response) =>
    body.max_tokens > 2000 && body.messages[0].content === "long"
      ? json(response, 400, { type: "error", error: { type: "invalid_request_error", message } })
      : stream(response, [begin, ...say("ok"), ...end("end_turn")]),
  );
  await using p = provider(server.url);
  for (const said of ["long", "short"]) expect(textOf(await collect(p, request(said)))).toBe("ok");
  expect(server.asked.map(({ body }) => body.max_tokens)).toEqual([8192, 2000, 8192]);
});

test("CTX-03: a conversation that is too long by itself is asked once and told as that, with the window", async () => {
  const error = {
    type: "invalid_request_error",
    message: "prompt is too long: 210000 tokens > 200000 maximum",
  };
  await using server = await serve((_, response) => json(response, 400, { type: "error", error }));
  await using p = provider(server.url);
  expect(failureOf(await collect(p, request("long")))).toMatchObject({
    code: "PROVIDER_OVERFLOW",
    contextWindow: 200_000,
    retry: false,
  });
  expect(server.asked).toHaveLength(1);
});

test("OAI-12: a request that must call asks a messages server for a call of any tool", async () => {
  await using server = await serve((_, response) =>
    stream(response, [begin, ...say("ok"), ...end("end_turn")]),
  );
  await using p = provider(server.url);
  await collect(p, request("x", { tools: tools("a"), mustCall: true }));
  expect(server.asked[0]?.body.tool_choice).toEqual({ type: "any" });
});
