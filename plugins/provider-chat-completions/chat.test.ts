import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, expect, test } from "vitest";
import { textParts } from "@gantry/sdk";
import type { ChatMessage } from "@gantry/sdk";
import {
  picture,
  withMedia,
  callsOf,
  chunk,
  collect,
  DONE,
  failureOf,
  json,
  provider,
  request,
  serve,
  stream,
  textOf,
  tools,
  usage,
  user,
} from "./chat.test-kit.ts";

const call = (id: string, args: string) => ({ id, name: "file_read", args });

let mock: LLMock;
beforeAll(async () => {
  mock = await LLMock.create({ port: 0 });
  mock.onMessage("hello", { content: "Hi there, how are you?" }, { chunkSize: 3 });
  mock.onMessage("two calls", {
    content: "Looking.",
    toolCalls: [
      { id: "call_one", name: "file_list", arguments: '{"path":"a directory with a long name"}' },
      { id: "call_two", name: "file_read", arguments: '{"path":"b"}' },
    ],
  });
  mock.onMessage("long", { content: "cut", finishReason: "length" });
  mock.onMessage("bad words", { content: "", finishReason: "content_filter" });
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

test("PRV-01: custom: posts model, messages, temperature, max_tokens and the Bearer, and reads text, reason and usage", async () => {
  await using server = await serve((_, response) =>
    json(response, 200, {
      choices: [{ message: { role: "assistant", content: "Hi." }, finish_reason: "stop" }],
      usage: { prompt_tokens: 4, completion_tokens: 2 },
    }),
  );
  await using p = provider(`custom:${server.url}`, { api_key: "k" });
  const messages: ChatMessage[] = [{ role: "system", parts: textParts("Be brief.") }, user("hello")];
  expect(await collect(p, request(messages, { maxTokens: 100 }))).toEqual([
    { type: "text", text: "Hi." },
    { type: "usage", inputTokens: 4, outputTokens: 2 },
    { type: "stop", reason: "EndTurn" },
  ]);
  expect(server.asked).toHaveLength(1);
  expect(server.asked[0]).toMatchObject({
    method: "POST",
    path: "/v1/chat/completions",
    headers: { authorization: "Bearer k" },
  });
  expect(server.asked[0]?.body).toEqual({
    model: "m",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "hello" },
    ],
    temperature: 0.7,
    max_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
  });
});

test.each([
  [
    "max_tokens is too large: 8192. This model supports at most 4096 completion tokens.",
    "max_completion_tokens",
  ],
  [
    "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 4096 tokens.",
    "max_tokens",
  ],
  ["`inputs` tokens + `max_new_tokens` must be <= 4097", "max_tokens"],
])(
  "PRV-01: every request has max_tokens, until a server finds ours too much (%s)",
  async (message, never) => {
    await using server = await serve(({ body }, response) =>
      "max_tokens" in body
        ? json(response, 400, { error: { message } })
        : stream(response, [chunk({ content: "ok" }, "stop"), DONE]),
    );
    await using p = provider(`custom:${server.url}`);
    expect(textOf(await collect(p, request("hello")))).toBe("ok");
    expect(server.asked.map(({ body }) => body.max_tokens)).toEqual([8192, undefined]);
    expect(server.asked[1]?.body).not.toHaveProperty(never);
  },
);

test("CTX-03: where conversation and answer together are too long, that one request goes without a bound for the answer", async () => {
  const message =
    "This model's maximum context length is 16384 tokens. However, you requested 18192 tokens (10000 in the messages, 8192 in the completion).";
  await using server = await serve(({ body }, response) =>
    body.max_tokens !== undefined && body.messages[0].content === "long"
      ? json(response, 400, { error: { message } })
      : stream(response, [chunk({ content: "ok" }, "stop"), DONE]),
  );
  await using p = provider(`custom:${server.url}`);
  for (const said of ["long", "short"]) expect(textOf(await collect(p, request(said)))).toBe("ok");
  expect(server.asked.map(({ body }) => body.max_tokens)).toEqual([8192, undefined, 8192]);
});

test.each([
  "This model's maximum context length is 16384 tokens. However, you requested 39192 tokens (31000 in the messages, 8192 in the completion).",
  "the request exceeds the available context size, try increasing it",
])("CTX-03: a conversation that is too long by itself is asked once (%s)", async (message) => {
  await using server = await serve((_, response) => json(response, 400, { error: { message } }));
  await using p = provider(`custom:${server.url}`);
  const failed = failureOf(await collect(p, request("long")));
  expect(failed).toMatchObject({ code: "PROVIDER_OVERFLOW", retry: false });
  expect(failed.message).toContain(message.slice(0, 40));
  expect(server.asked).toHaveLength(1);
});

test("PRV-01: without a credential no Authorization header is sent, and a query of the address is kept", async () => {
  await using server = await serve((_, response) =>
    stream(response, [chunk({ content: "x" }, "stop"), DONE]),
  );
  await using p = provider(`custom:${server.url}?version=7`);
  await collect(p, request("hello"));
  expect(server.asked[0]?.path).toBe("/v1/chat/completions?version=7");
  expect(server.asked[0]?.headers.authorization).toBeUndefined();
});

test("PRV-06: an answer of a server nobody here wrote is streamed in pieces, with its usage", async () => {
  await using p = provider(`custom:${mock.url}/v1`, { api_key: "k" });
  const events = await collect(p, request("hello"));
  expect(textOf(events)).toBe("Hi there, how are you?");
  expect(events.filter((event) => event.type === "text").length).toBeGreaterThan(3);
  expect(events.at(-2)?.type).toBe("usage");
  expect(events.at(-1)).toEqual({ type: "stop", reason: "EndTurn" });
});

test.each([
  ["long", "MaxTokens"],
  ["bad words", "ContentFilter"],
])("PRV-01: the reason to stop of %j is %s", async (said, reason) => {
  await using p = provider(`custom:${mock.url}/v1`, { api_key: "k" });
  expect((await collect(p, request(said))).at(-1)).toEqual({ type: "stop", reason });
});

test("PRV-07: several calls of one answer keep their ids, their order and their streamed arguments", async () => {
  await using p = provider(`custom:${mock.url}/v1`, { api_key: "k" });
  const events = await collect(p, request("two calls", { tools: tools("file_list", "file_read") }));
  expect(textOf(events)).toBe("Looking.");
  expect(callsOf(events)).toEqual([
    { id: "call_one", name: "file_list", args: '{"path":"a directory with a long name"}' },
    { id: "call_two", name: "file_read", args: '{"path":"b"}' },
  ]);
  expect(events.at(-1)).toEqual({ type: "stop", reason: "ToolUse" });
});

test("PRV-13: 429 is one sentence with the time to wait, and what Retry-After asks for", async () => {
  await using p = provider(`custom:${mock.url}/v1`, { api_key: "k" });
  const failure = failureOf(await collect(p, request("limited")));
  expect(failure).toMatchObject({
    code: "PROVIDER_RATE_LIMIT",
    status: 429,
    retryAfterMs: 7000,
    retry: true,
  });
  expect(failure.message).toMatch(/HTTP 429.*wait 7 s.*retry_backoff_ms.*fallback_providers/);
});

test("PRV-15: an answer whose connection breaks ends in one error that says so", async () => {
  await using p = provider(`custom:${mock.url}/v1`, { api_key: "k" });
  const failure = failureOf(await collect(p, request("break")));
  expect(failure).toMatchObject({ retry: true, message: expect.stringContaining("broke off") });
});

test("PRV-07: calls and results go back in order, with calls that were not JSON made readable", async () => {
  await using server = await serve((_, response) =>
    stream(response, [chunk({ content: "ok" }, "stop"), usage, DONE]),
  );
  await using p = provider(`custom:${server.url}`);
  const messages: ChatMessage[] = [
    user("read both"),
    { role: "assistant", parts: textParts(""), toolCalls: [call("1", '{"path":"a"}'), call("2", "{path")] },
    { role: "tool", callId: "1", name: "file_read", parts: textParts("A"), failed: false },
    { role: "tool", callId: "2", name: "file_read", parts: textParts("bad arguments"), failed: true },
  ];
  await collect(p, request(messages, { tools: tools("file_read") }));
  const { messages: sent, tools: offered } = server.asked[0]!.body;
  expect(sent.slice(1)).toEqual([
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "1", type: "function", function: { name: "file_read", arguments: '{"path":"a"}' } },
        { id: "2", type: "function", function: { name: "file_read", arguments: "{}" } },
      ],
    },
    { role: "tool", tool_call_id: "1", content: "A" },
    { role: "tool", tool_call_id: "2", content: "bad arguments" },
  ]);
  expect(offered).toEqual([
    {
      type: "function",
      function: {
        name: "file_read",
        description: "The tool file_read.",
        parameters: { type: "object", required: ["path"], properties: { path: { type: "string" } } },
      },
    },
  ]);
});

test("SDK-07: a picture goes out as an image between its texts, one of a tool's result in a message behind all results", async () => {
  await using server = await serve((_, response) =>
    stream(response, [chunk({ content: "ok" }, "stop"), DONE]),
  );
  await using p = provider(`custom:${server.url}`);
  const said = [
    ...textParts("See"),
    await picture(),
    ...textParts("and say."),
    await picture("audio/ogg", "AAAA"),
  ];
  const result = { role: "tool", name: "shot", failed: false } as const;
  const messages: ChatMessage[] = [
    { role: "user", parts: said },
    { role: "assistant", parts: [], toolCalls: [call("1", "{}"), call("2", "{}")] },
    { ...result, callId: "1", parts: [...textParts("the page"), await picture()] },
    { ...result, callId: "2", parts: [await picture("image/jpeg", "/9j/")] },
    user("well?"),
  ];
  await collect(p, request(messages, withMedia));
  const url = "data:image/png;base64,iVBORw0=";
  const sent: { role: string; content: unknown }[] = server.asked[0]?.body.messages;
  expect(sent[0]?.content).toEqual([
    { type: "text", text: "See" },
    { type: "image_url", image_url: { url } },
    { type: "text", text: "and say.\n[cat.png, audio/ogg, 3 bytes; this model does not take it]" },
  ]);
  expect(sent.slice(2).map(({ role, content }) => [role, content])).toEqual([
    ["tool", "the page"],
    ["tool", "(see the picture below)"],
    [
      "user",
      [
        { type: "text", text: "Pictures from the result of the tool shot:" },
        { type: "image_url", image_url: { url } },
        { type: "text", text: "Pictures from the result of the tool shot:" },
        { type: "image_url", image_url: { url: "data:image/jpeg;base64,/9j/" } },
      ],
    ],
    ["user", "well?"],
  ]);
});

const brings = (body: object): boolean => JSON.stringify(body).includes("image_url");

test.each([
  [400, "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"],
  [404, "No endpoints found that support image input"],
  [422, "messages.0.content.1: invalid type image_url, expected a string"],
])(
  "SDK-07: a model that sees nothing (HTTP %s, %s) is asked with a line in place of the picture, and from then on",
  async (status, message) => {
    await using server = await serve(({ body }, response) =>
      brings(body)
        ? json(response, status, { error: { message } })
        : stream(response, [chunk({ content: "ok" }, "stop"), DONE]),
    );
    await using p = provider(`custom:${server.url}`);
    const messages: ChatMessage[] = [{ role: "user", parts: [...textParts("See"), await picture()] }];
    for (let i = 0; i < 2; i += 1) expect(textOf(await collect(p, request(messages, withMedia)))).toBe("ok");
    expect(server.asked.map(({ body }) => brings(body))).toEqual([true, false, false]);
    expect(server.asked[2]?.body.messages[0].content).toBe(
      "See\n[cat.png, image/png, 5 bytes; this model does not take it]",
    );
    await collect(p, request(messages, { ...withMedia, model: "another" }));
    expect(brings(server.asked[3]?.body)).toBe(true);
  },
);

test("SDK-07: a picture that is too large for a model, and one that is gone, are a line", async () => {
  await using server = await serve((_, response) =>
    stream(response, [chunk({ content: "ok" }, "stop"), DONE]),
  );
  await using p = provider(`custom:${server.url}`);
  const ref = { id: "ab".repeat(32), mime: "image/png" };
  const messages: ChatMessage[] = [
    { role: "user", parts: [{ type: "media", media: { ...ref, bytes: 5 * 1024 * 1024 + 1 } }] },
    { role: "user", parts: [{ type: "media", media: { ...ref, id: "cd".repeat(32), bytes: 7 } }] },
  ];
  await collect(p, request(messages, withMedia));
  expect(server.asked[0]?.body.messages).toEqual([
    { role: "user", content: "[image/png, 5242881 bytes; it is too large for a model]" },
    { role: "user", content: "[image/png, 7 bytes; it is no longer kept]" },
  ]);
});

test.each([
  ["stream_options", "Extra inputs are not permitted: stream_options"],
  ["stream_options", "unknown field in request body"],
  [
    "temperature",
    "Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is supported.",
  ],
  [
    "max_tokens",
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
  ],
])(
  "PRV-06: a server that refuses %s (%s) is asked again without it, and from then on",
  async (field, message) => {
    await using server = await serve(({ body }, response) =>
      field in body
        ? json(response, 400, { error: { message } })
        : stream(response, [chunk({ content: "ok" }, "stop"), usage, DONE]),
    );
    await using p = provider(`custom:${server.url}`);
    expect(textOf(await collect(p, request("hello", { maxTokens: 5 })))).toBe("ok");
    expect(textOf(await collect(p, request("hello", { maxTokens: 5 })))).toBe("ok");
    expect(server.asked).toHaveLength(3);
    expect(server.asked[2]?.body[field === "max_tokens" ? "max_completion_tokens" : "model"]).toBeTruthy();
  },
);

test("PRV-13: a refusal that is about something else is not asked again, and the server's words are told without the key", async () => {
  await using server = await serve((_, response) =>
    json(response, 400, { error: { message: "model canary-key has no unknown context window" } }),
  );
  await using p = provider(`custom:${server.url}`, { api_key: "canary-key" });
  const failure = failureOf(await collect(p, request("hello")));
  expect(server.asked).toHaveLength(1);
  expect(failure).toMatchObject({ code: "PROVIDER_REQUEST", status: 400, retry: false });
  expect(failure.message).toContain("model *** has no unknown context window");
});

test("CFG-01: what a server repeats of the password and the query of its address is not told", async () => {
  await using server = await serve(({ path }, response) =>
    json(response, 400, { error: `no canary-password for ${path}` }),
  );
  await using p = provider(
    `custom:${server.url.replace("://", "://me:canary-password@")}?code=canary-code&version=7`,
  );
  const { message } = failureOf(await collect(p, request("hello")));
  expect(message).toMatch(/no \*\*\* for \/v1\/chat\/completions\?code=\*\*\*&version=7$/);
});

test.each([
  [401, "PROVIDER_AUTH", /HTTP 401.*key, the address \(http:\/\/ or https:\/\/\) and the network/],
  [403, "PROVIDER_FORBIDDEN", /HTTP 403/],
  [
    404,
    "PROVIDER_MODEL_UNKNOWN",
    /HTTP 404 model not found for `m` \(no such thing\).*gantry models refresh/,
  ],
  [503, "PROVIDER_SERVER", /HTTP 503/],
])("PRV-13: HTTP %s is one sentence with the check to make", async (status, code, words) => {
  await using server = await serve((_, response) =>
    json(response, status, { error: { message: "no such thing" } }),
  );
  await using p = provider(`custom:${server.url}`, { api_key: "canary-key" });
  const failure = failureOf(await collect(p, request("hello")));
  expect(failure).toMatchObject({ code, status, retry: true });
  expect(failure.message).toMatch(words);
  expect(failure.message).toContain(`custom:${server.url}`);
  expect(server.asked).toHaveLength(1);
});

test("PRV-13: nobody listening, and an address that never answers, are told with the proxy and timeout_seconds", async () => {
  const gone = await serve(() => {});
  await gone[Symbol.asyncDispose]();
  await using refused = provider(`custom:${gone.url}`);
  expect(failureOf(await collect(refused, request("hello")))).toMatchObject({
    code: "PROVIDER_REFUSED",
    retry: true,
    message: expect.stringMatching(/cannot be reached \(.*refused.*HTTPS_PROXY/),
  });
  await using silent = await serve(() => {});
  await using p = provider(`custom:${silent.url}`, { providers: { custom: { timeout_seconds: 1 } } });
  expect(failureOf(await collect(p, request("hello")))).toMatchObject({
    code: "PROVIDER_TIMEOUT",
    retry: true,
    message: expect.stringMatching(/did not answer in 1 s.*HTTPS_PROXY.*timeout_seconds/),
  });
});

test("PRV-05: a service without a credential is not asked; the answer says which variable to set", async () => {
  await using p = provider("groq");
  expect(failureOf(await collect(p, request("hello")))).toMatchObject({
    code: "PROVIDER_NO_KEY",
    retry: false,
    message: expect.stringContaining(
      "set GROQ_API_KEY, or providers.groq.api_key (see https://console.groq.com/docs)",
    ),
  });
});
