import { Routes, Store, textOf, type ToolResult } from "@gantry/sdk";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { tool } from "../../test/helpers/plugins.ts";
import { start } from "./openai.test-kit.ts";

const hello = { model: "gantry", messages: [{ role: "user" as const, content: "hello" }] };
const weather = {
  type: "function" as const,
  function: {
    name: "weather",
    description: "W.",
    parameters: { type: "object", properties: { city: { type: "string" } } },
  },
};

test("GW-08: OAI-01: the official client lists models, gets one, and asks for a whole answer and a streamed one", async () => {
  await using gateway = await start(["Good day.", "Good night."]);
  const { client } = gateway;
  const ids = (await client.models.list()).data.map(({ id }) => id);
  expect(ids).toEqual(["gantry", "gantry-plain"]);
  expect(await client.models.retrieve("gantry")).toMatchObject({ id: "gantry", object: "model" });
  const whole = await client.chat.completions.create(hello);
  expect(whole.choices[0]).toMatchObject({
    message: { role: "assistant", content: "Good day." },
    finish_reason: "stop",
  });
  expect(whole.usage?.total_tokens).toBe(
    (whole.usage?.prompt_tokens ?? 0) + (whole.usage?.completion_tokens ?? 0),
  );
  let streamed = "";
  for await (const chunk of await client.chat.completions.create({ ...hello, stream: true })) {
    streamed += chunk.choices[0]?.delta.content ?? "";
  }
  expect(streamed).toBe("Good night.");
});

test("OAI-06: a stream is role, text, finish, usage if asked for, and DONE, as it is written", async () => {
  await using gateway = await start(["Good day.", "Good day."]);
  const read = async (more: object): Promise<string[]> => {
    const { text } = await gateway.ask("/v1/chat/completions", {
      body: { ...hello, stream: true, ...more },
      token: gateway.token,
    });
    return text
      .split("\n\n")
      .filter((frame) => frame.startsWith("data: "))
      .map((frame) => frame.slice(6));
  };
  const frames = await read({ stream_options: { include_usage: true } });
  expect(frames.at(-1)).toBe("[DONE]");
  const chunks = frames.slice(0, -1).map((frame) => JSON.parse(frame));
  expect(chunks[0].choices[0].delta).toEqual({ role: "assistant", content: "" });
  expect(chunks.at(-2).choices[0]).toMatchObject({ delta: {}, finish_reason: "stop" });
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: expect.any(Number) } });
  expect((await read({})).some((frame) => frame.includes('"choices":[]'))).toBe(false);
});

test("OAI-02: without a key what is sent is the whole history, and nothing is kept", async () => {
  await using gateway = await start(["ok"]);
  await gateway.client.chat.completions.create({
    model: "gantry",
    messages: [
      { role: "user", content: "one" },
      { role: "assistant", content: "two" },
      { role: "user", content: "three" },
    ],
  });
  const [request] = gateway.model.requests;
  expect(request?.messages.slice(1).map(({ role, parts }) => [role, textOf(parts)])).toEqual([
    ["user", "one"],
    ["assistant", "two"],
    ["user", "three"],
  ]);
  expect(await gateway.host.slot(Store).sessions.list(9)).toEqual([]);
});

test("OAI-02: by header a conversation is kept, and a client may send new messages alone; no device reaches another's", async () => {
  await using gateway = await start(Array<string>(9).fill("ok"));
  const headers = { "X-Gantry-Session": "work" };
  const say = async (client: OpenAI, content: string): Promise<void> => {
    await client.chat.completions.create(
      { model: "gantry", messages: [{ role: "user", content }] },
      { headers },
    );
  };
  await say(gateway.client, "my name is Ada");
  await say(gateway.client, "who am I?");
  const texts = (at: number): string => JSON.stringify(gateway.model.requests[at]?.messages);
  expect(texts(1)).toContain("my name is Ada");
  const { token } = await gateway.pair("phone");
  await say(new OpenAI({ baseURL: gateway.baseURL, apiKey: token, maxRetries: 0 }), "and who am I?");
  expect(texts(2)).not.toContain("Ada");
});

test("OAI-02: a header of the client's own names its conversation where the configuration lists it", async () => {
  const openai = { session_headers: ["X-Chat-Id"] };
  await using gateway = await start(["ok", "ok"], openai);
  const headers = { "X-Chat-Id": "42" };
  await gateway.client.chat.completions.create(hello, { headers });
  const [session] = await gateway.host.slot(Store).sessions.list(9);
  expect(session?.id).toMatch(/^openai:.+:42$/);
});

test("OAI-02: an edited or regenerated message is answered from the past that the client shows", async () => {
  await using gateway = await start(Array<string>(9).fill("ok"));
  const say = (...texts: string[]) =>
    gateway.client.chat.completions.create({
      model: "gantry",
      user: "chat-1",
      messages: texts.map((content, i) => ({ role: i % 2 === 0 ? "user" : "assistant", content }) as const),
    });
  await say("red");
  await say("red", "ok", "blue");
  await say("green", "ok", "blue");
  const seen = (at: number): string => JSON.stringify(gateway.model.requests[at]?.messages);
  expect([seen(1).includes("red"), seen(2).includes("red"), seen(2).includes("green")]).toEqual([
    true,
    false,
    true,
  ]);
});

test("OAI-02: a past of the same length whose question or answer was changed is taken as the client shows it", async () => {
  await using gateway = await start(Array<string>(9).fill("ok"));
  const say = (user: string, ...texts: string[]) =>
    gateway.client.chat.completions.create({
      model: "gantry",
      user,
      messages: texts.map((content, i) => ({ role: i % 2 === 0 ? "user" : "assistant", content }) as const),
    });
  const seen = (): string => JSON.stringify(gateway.model.requests.at(-1)?.messages);
  await say("asked", "Please do not delete it");
  await say("asked", "delete it", "ok", "and now?");
  expect([seen().includes("Please"), seen().includes("delete it")]).toEqual([false, true]);
  await say("answered", "hello");
  await say("answered", "hello", "EDITED ANSWER", "and now?");
  expect(seen()).toContain("EDITED ANSWER");
});

test("OAI-03: what the client says as system or developer is added to our own prompt, never in its place", async () => {
  await using gateway = await start(["ok"]);
  await gateway.client.chat.completions.create({
    model: "gantry",
    messages: [
      { role: "system", content: "Speak like a pirate." },
      { role: "developer", content: "Be brief." },
      { role: "user", content: "hello" },
    ],
  });
  const [system, ...rest] = gateway.model.requests[0]?.messages ?? [];
  const text = textOf(system?.parts ?? []);
  expect(text).toMatch(/^You are Gantry[^]*Speak like a pirate\.\n\nBe brief\.[^]*untrusted/);
  expect(rest).toHaveLength(1);
});

test("OAI-04: a call of the client's tool ends the turn, and its result continues it", async () => {
  const call = { name: "weather", args: { city: "Rome" } };
  await using gateway = await start([{ calls: [call] }, "Sunny.", { calls: [call] }]);
  const { client } = gateway;
  const asked = { ...hello, tools: [weather] };
  const first = await client.chat.completions.create(asked);
  const [choice] = first.choices;
  expect(choice?.finish_reason).toBe("tool_calls");
  const [made] = choice?.message.tool_calls ?? [];
  expect(made).toMatchObject({
    type: "function",
    function: { name: "weather", arguments: '{"city":"Rome"}' },
  });
  const second = await client.chat.completions.create({
    ...asked,
    messages: [
      ...asked.messages,
      choice!.message,
      { role: "tool", tool_call_id: made!.id, content: "25 degrees" },
    ],
  });
  expect(second.choices[0]?.message.content).toBe("Sunny.");
  const last = gateway.model.requests[1]?.messages.at(-1);
  expect([last?.role, textOf(last?.parts ?? [])]).toEqual([
    "tool",
    expect.stringMatching(/untrusted[^]*25 degrees/),
  ]);
  const names: string[] = [];
  for await (const chunk of await client.chat.completions.create({ ...asked, stream: true })) {
    for (const piece of chunk.choices[0]?.delta.tool_calls ?? []) names.push(piece.function?.name ?? "");
  }
  expect(names).toEqual(["weather"]);
});

test("OAI-04: a client's tool with the name of one that is here is refused, so that neither is taken for the other", async () => {
  await using gateway = await start(["never"]);
  const clock = { type: "function" as const, function: { ...weather.function, name: "clock" } };
  const error = await failed(gateway.client.chat.completions.create({ ...hello, tools: [clock] }));
  expect(error).toMatchObject({ status: 400, code: "TOOL_CLIENT_TAKEN", param: "tools" });
  expect(gateway.model.requests).toEqual([]);
});

test("OAI-05: gantry-plain is the model alone: no tool is offered and no session is written", async () => {
  await using gateway = await start(["A title", "An answer"]);
  const headers = { "X-Gantry-Session": "work" };
  await gateway.client.chat.completions.create({ ...hello, model: "gantry-plain" }, { headers });
  expect(gateway.model.requests[0]?.tools).toEqual([]);
  expect(await gateway.host.slot(Store).sessions.list(9)).toEqual([]);
  await gateway.client.chat.completions.create(hello, { headers });
  expect(gateway.model.requests[1]?.tools.map(({ name }) => name)).toEqual(["clock"]);
});

const failed = (work: Promise<unknown>) =>
  work.then(
    () => "worked",
    (error: InstanceType<typeof OpenAI.APIError>) => ({
      status: error.status,
      code: error.code,
      param: error.param,
      type: error.type,
    }),
  );

test("OAI-08: what is wrong is told as OpenAI's clients read it: status, message, type, param and code", async () => {
  await using gateway = await start([
    {
      failure: {
        code: "PROVIDER_RATE_LIMIT",
        message: "slow down",
        status: 429,
        retryAfterMs: 7_000,
        retry: true,
      },
    },
  ]);
  const { client, baseURL } = gateway;
  const stranger = new OpenAI({ baseURL, apiKey: "gt_wrong", maxRetries: 0 });
  const type = "invalid_request_error";
  const unknown = { status: 401, code: "GATEWAY_UNAUTHORIZED", param: null, type };
  expect(await failed(stranger.models.list())).toEqual(unknown);
  expect(await failed(stranger.chat.completions.create(hello))).toEqual(unknown);
  const large = { ...hello, messages: [{ role: "user" as const, content: "x".repeat(30 * 1024 * 1024) }] };
  expect(await failed(client.chat.completions.create(large))).toEqual({
    status: 413,
    code: "GATEWAY_BODY_TOO_LARGE",
    param: null,
    type,
  });
  expect(await failed(client.chat.completions.create({ ...hello, model: "gpt-9" }))).toEqual({
    status: 404,
    code: "OPENAI_NO_MODEL",
    param: "model",
    type,
  });
  expect(await failed(client.chat.completions.create({ ...hello, n: 2 }))).toEqual({
    status: 400,
    code: "OPENAI_BAD_REQUEST",
    param: "n",
    type,
  });
  expect(await failed(client.models.retrieve("nothing"))).toMatchObject({ status: 404 });
  const { status, headers, json } = await gateway.ask("/v1/chat/completions", {
    body: hello,
    token: gateway.token,
  });
  expect([status, headers["retry-after"]]).toEqual([429, "7"]);
  expect(json).toMatchObject({ error: { type: "rate_limit_error" } });
});

test("OAI-08: a failure after the stream began is an error in it, without DONE", async () => {
  await using gateway = await start([
    { text: "Good", failure: { code: "PROVIDER_SERVER", message: "gone", retry: true } },
  ]);
  const { text } = await gateway.ask("/v1/chat/completions", {
    body: { ...hello, stream: true },
    token: gateway.token,
  });
  expect(text).toContain('"error":{"message":"gone"');
  expect(text).not.toContain("[DONE]");
});

test("OAI-01: the routes are there while the plugin is, and need a token", async () => {
  await using gateway = await start([]);
  expect([...gateway.host.slot(Routes).keys()].filter((name) => name.includes("/v1/")).toSorted()).toEqual([
    "DELETE /v1/responses/:id",
    "GET /v1/models",
    "GET /v1/models/:id",
    "GET /v1/models/gantry/:agent",
    "GET /v1/responses/:id",
    "GET /v1/responses/:id/input_items",
    "POST /v1/chat/completions",
    "POST /v1/responses",
  ]);
  expect((await gateway.ask("/v1/models")).status).toBe(401);
});

test("FLR-19: what is handed over is a line of the answer, whole and streamed, as the format has no files", async () => {
  const media = { id: "a", mime: "application/pdf", bytes: 6, name: "plan.pdf", alt: "The plan" };
  const result: ToolResult = { parts: [{ type: "media", media, forPerson: true }], failed: false };
  const hand = { calls: [{ name: "hand", args: {} }] };
  const plugins = [tool("hand", async () => result)];
  await using gateway = await start([hand, "Here.", hand, "Here."], {}, plugins);
  const line = "Here.\n\n[plan.pdf, application/pdf, 6 bytes: The plan]";
  const whole = await gateway.client.chat.completions.create(hello);
  expect(whole.choices[0]?.message.content).toBe(line);
  let streamed = "";
  for await (const chunk of await gateway.client.chat.completions.create({ ...hello, stream: true }))
    streamed += chunk.choices[0]?.delta.content ?? "";
  expect(streamed).toBe(line);
});
