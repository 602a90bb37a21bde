import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";
import { textParts } from "@gantry/sdk";
import type { ChatMessage, ProviderEvent } from "@gantry/sdk";
import {
  picture,
  withMedia,
  callsOf,
  collect,
  failureOf,
  json,
  provider,
  request,
  stream,
  textOf,
  tools,
} from "./chat.test-kit.ts";
import type { Asked } from "./chat.test-kit.ts";
import type { ServerResponse } from "node:http";

const responses = { provider_api: "responses" };
const delta = (text: string) => ({ type: "response.output_text.delta", delta: text });
const completed = (output: object[] = []) => ({
  type: "response.completed",
  response: { status: "completed", output, usage: { input_tokens: 9, output_tokens: 4 } },
});
const say = (text: string): object[] => [
  { type: "response.created", response: {} },
  delta(text),
  completed(),
];

interface Options {
  /** Answers one request over a WebSocket; `turn` counts from 0 over all connections. */
  readonly socket?: (ws: WebSocket, create: any, turn: number) => void;
  readonly http?: (asked: Asked, response: ServerResponse) => void;
}

/** A server with responses over WebSocket and HTTP that notes what came in which way. */
async function serve({ socket, http }: Options) {
  const asked: {
    readonly way: "ws" | "http";
    readonly path: string;
    readonly body: any;
    readonly auth: string | undefined;
  }[] = [];
  const server = createServer(async (req, response) => {
    let text = "";
    for await (const piece of req) text += String(piece);
    const { method = "", url: path = "", headers } = req;
    const one = { method, path, headers, body: text === "" ? undefined : JSON.parse(text) };
    asked.push({ way: "http", path, body: one.body, auth: headers.authorization });
    if (http) http(one, response);
    else json(response, 404, { error: "no" });
  });
  const sockets = new WebSocketServer({ noServer: true });
  let connections = 0;
  let upgrades = 0;
  let turn = 0;
  server.on("upgrade", (req, tcp, head) => {
    upgrades += 1;
    if (!socket) return void tcp.end("HTTP/1.1 426 Upgrade Required\r\nconnection: close\r\n\r\n");
    sockets.handleUpgrade(req, tcp, head, (ws) => {
      connections += 1;
      ws.on("message", (data) => {
        const body = JSON.parse(String(data));
        asked.push({ way: "ws", path: req.url ?? "", body, auth: req.headers.authorization });
        socket(ws, body, turn++);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    sockets,
    connections: () => connections,
    upgrades: () => upgrades,
    async [Symbol.asyncDispose]() {
      for (const ws of sockets.clients) ws.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const send = (ws: WebSocket, events: readonly object[]): void => {
  for (const event of events) ws.send(JSON.stringify(event));
};

let mock: LLMock;
beforeAll(async () => {
  mock = await LLMock.create({ port: 0 });
  mock.onMessage("hello", { content: "Hi there, how are you?" }, { chunkSize: 3 });
  mock.onMessage("two calls", {
    toolCalls: [
      { id: "call_one", name: "a", arguments: '{"path":"x"}' },
      { id: "call_two", name: "b", arguments: "{}" },
    ],
  });
  mock.onMessage("drop", { content: "never to be seen whole" }, { chunkSize: 2, truncateAfterChunks: 6 });
});
afterAll(() => mock.stop());

test("PRV-09: reasoning that a server streams is told apart from the text", async () => {
  const events = [
    { type: "response.reasoning_summary_text.delta", delta: "First, " },
    { type: "response.reasoning_text.delta", delta: "look." },
    ...say("yes"),
  ];
  await using server = await serve({ http: (_, response) => stream(response, events) });
  await using p = provider(
    `custom:${server.url}`,
    { ...responses, api_key: "k" },
    { SERVICE_RESPONSES_WEBSOCKET: "0" },
  );
  const told = await collect(p, request("hello"));
  expect(told.filter((event) => "text" in event && event.text !== "")).toEqual([
    { type: "thought", text: "First, " },
    { type: "thought", text: "look." },
    { type: "text", text: "yes" },
  ]);
});

test.each(["", "0", "1"])(
  "PRV-09: a server nobody here wrote answers in responses mode (SERVICE_RESPONSES_WEBSOCKET=%s)",
  async (choice) => {
    mock.clearRequests();
    await using p = provider(
      `custom:${mock.url}/v1`,
      { ...responses, api_key: "k" },
      { SERVICE_RESPONSES_WEBSOCKET: choice },
    );
    const events = await collect(p, request("hello"));
    expect(textOf(events)).toBe("Hi there, how are you?");
    expect(events.filter((event) => event.type === "text").length).toBeGreaterThan(3);
    expect(events.at(-1)).toEqual({ type: "stop", reason: "EndTurn" });
    const called = await collect(p, request("two calls", { tools: tools("a", "b") }));
    expect(callsOf(called)).toEqual([
      { id: "call_one", name: "a", args: '{"path":"x"}' },
      { id: "call_two", name: "b", args: "{}" },
    ]);
    expect(called.at(-1)).toEqual({ type: "stop", reason: "ToolUse" });
    const ways = mock.getRequests().map(({ method, path }) => `${method} ${path}`);
    expect(new Set(ways)).toEqual(new Set([choice === "0" ? "POST /v1/responses" : "WS /v1/responses"]));
  },
);

test("PRV-09: a drop in the middle never shows text twice", async () => {
  await using p = provider(`custom:${mock.url}/v1`, responses);
  const events = await collect(p, request("drop"));
  expect("never to be seen whole".startsWith(textOf(events))).toBe(true);
  expect(events.filter((event) => event.type === "error" || event.type === "stop")).toHaveLength(1);
});

test("PRV-09: the request holds instructions, the conversation, the tools and images, and nothing is kept on the other side", async () => {
  await using server = await serve({ socket: (ws) => send(ws, say("ok")) });
  await using p = provider(`custom:${server.url}`, { ...responses, api_key: "k" });
  const messages: ChatMessage[] = [
    { role: "system", parts: textParts("One.") },
    { role: "system", parts: textParts("Two.") },
    { role: "user", parts: [...textParts("See"), await picture()] },
    {
      role: "assistant",
      parts: textParts("Looking."),
      toolCalls: [{ id: "c1", name: "a", args: '{"path":"x"}' }],
    },
    { role: "tool", callId: "c1", name: "a", parts: textParts("found"), failed: false },
    {
      role: "tool",
      callId: "c2",
      name: "a",
      parts: [...textParts("a page"), await picture("application/pdf", "JVBE")],
      failed: false,
    },
  ];
  await collect(p, request(messages, { ...withMedia, tools: tools("a"), maxTokens: 50 }));
  expect(server.asked).toHaveLength(1);
  expect(server.asked[0]).toMatchObject({ way: "ws", path: "/v1/responses", auth: "Bearer k" });
  expect(server.asked[0]?.body).toMatchObject({
    type: "response.create",
    model: "m",
    instructions: "One.\n\nTwo.",
    temperature: 0.7,
    max_output_tokens: 50,
    store: false,
    tools: [{ type: "function", name: "a", parameters: { type: "object" } }],
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "See" },
          { type: "input_image", detail: "auto", image_url: "data:image/png;base64,iVBORw0=" },
        ],
      },
      { role: "assistant", content: "Looking." },
      { type: "function_call", call_id: "c1", name: "a", arguments: '{"path":"x"}' },
      { type: "function_call_output", call_id: "c1", output: "found" },
      {
        type: "function_call_output",
        call_id: "c2",
        output: [
          { type: "input_text", text: "a page" },
          { type: "input_file", filename: "cat.png", file_data: "data:application/pdf;base64,JVBE" },
        ],
      },
    ],
  });
  expect(server.asked[0]?.body).not.toHaveProperty("stream");
});

test("PRV-09: WebSocket first, HTTP after, and the server is not asked for a WebSocket again for a while", async () => {
  await using server = await serve({ http: (_, response) => stream(response, say("over HTTP")) });
  await using p = provider(`custom:${server.url}`, responses);
  for (let i = 0; i < 2; i += 1) {
    const events = await collect(p, request("hello"));
    expect(events).toEqual([
      { type: "text", text: "over HTTP" },
      { type: "usage", inputTokens: 9, outputTokens: 4 },
      { type: "stop", reason: "EndTurn" },
    ]);
  }
  expect(server.upgrades()).toBe(1);
  expect(server.asked.map(({ way, path, body }) => [way, path, body.stream])).toEqual([
    ["http", "/v1/responses", true],
    ["http", "/v1/responses", true],
  ]);
});

test("PRV-09: SERVICE_RESPONSES_WEBSOCKET=0 opens no WebSocket, =1 sends nothing over HTTP", async () => {
  await using both = await serve({
    socket: (ws) => send(ws, say("ws")),
    http: (_, response) => stream(response, say("http")),
  });
  await using never = provider(`custom:${both.url}`, responses, { SERVICE_RESPONSES_WEBSOCKET: "0" });
  expect(textOf(await collect(never, request("hello")))).toBe("http");
  expect(both.connections()).toBe(0);
  await using plain = await serve({ http: (_, response) => stream(response, say("http")) });
  await using only = provider(`custom:${plain.url}`, responses, { SERVICE_RESPONSES_WEBSOCKET: "1" });
  expect(failureOf(await collect(only, request("hello")))).toMatchObject({
    code: "CHAT_NO_WEBSOCKET",
    status: 426,
    message: expect.stringMatching(/no WebSocket \(HTTP 426\): unset SERVICE_RESPONSES_WEBSOCKET/),
  });
  expect(plain.asked).toEqual([]);
});

test("PRV-09: a custom endpoint at the vendor's address is asked in responses mode without provider_api", async () => {
  await using server = await serve({ socket: (ws) => send(ws, say("hi")) });
  const endpoints = { vendor_api_url: server.url };
  await using p = provider(`custom:${server.url}/`, { endpoints });
  expect(textOf(await collect(p, request("hello")))).toBe("hi");
  expect(server.asked[0]?.way).toBe("ws");
});

test("PRV-09: the turns of a session share a connection, other sessions have their own, and dispose closes all", async () => {
  await using server = await serve({ socket: (ws, _, turn) => send(ws, say(`turn ${turn}`)) });
  const p = provider(`custom:${server.url}`, responses);
  for (let i = 0; i < 3; i += 1) expect(textOf(await collect(p, request("hello")))).toBe(`turn ${i}`);
  expect(server.connections()).toBe(1);
  await collect(p, request("hello", { session: "other" }));
  expect(server.connections()).toBe(2);
  const closed = [...server.sockets.clients].map((ws) => once(ws, "close"));
  await p[Symbol.asyncDispose]();
  expect(await Promise.all(closed)).toHaveLength(2);
});

test("PRV-09: no more than sixteen connections are kept, whatever the number of sessions", async () => {
  await using server = await serve({ socket: (ws) => send(ws, say("x")) });
  await using p = provider(`custom:${server.url}`, responses);
  for (let i = 0; i < 20; i += 1) await collect(p, request("hello", { session: `s${i}` }));
  while (server.sockets.clients.size > 16) await new Promise((resolve) => setImmediate(resolve));
  expect(server.sockets.clients.size).toBe(16);
  await collect(p, request("hello", { session: "s19" }));
  expect(server.connections()).toBe(20);
});

test("PRV-09: a connection that nobody used for a minute is closed", async () => {
  await using server = await serve({ socket: (ws) => send(ws, say("x")) });
  await using p = provider(`custom:${server.url}`, responses);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    await collect(p, request("hello"));
    vi.advanceTimersByTime(59_000);
    await collect(p, request("hello"));
    const [ws] = server.sockets.clients;
    const closed = once(ws!, "close");
    vi.advanceTimersByTime(60_000);
    await closed;
  } finally {
    vi.useRealTimers();
  }
  await collect(p, request("hello"));
  expect(server.connections()).toBe(2);
});

test("PRV-09: two turns of one session at once do not read each other's answers", async () => {
  await using server = await serve({
    socket: (ws, { input }) => send(ws, say(input.at(-1).content[0].text)),
  });
  await using p = provider(`custom:${server.url}`, responses);
  const said = await Promise.all(
    ["one", "two", "three"].map(async (text) => textOf(await collect(p, request(text)))),
  );
  expect(said).toEqual(["one", "two", "three"]);
});

test("PRV-09: a kept connection that died is opened again, since nothing was shown", async () => {
  await using server = await serve({
    socket(ws, _, turn) {
      if (turn === 1) ws.terminate();
      else send(ws, say(`turn ${turn}`));
    },
  });
  await using p = provider(`custom:${server.url}`, responses, { SERVICE_RESPONSES_WEBSOCKET: "1" });
  expect(textOf(await collect(p, request("hello")))).toBe("turn 0");
  expect(textOf(await collect(p, request("hello")))).toBe("turn 2");
  expect(server.connections()).toBe(2);
});

test("PRV-09: a connection that reached the age limit of the server is replaced", async () => {
  await using server = await serve({
    socket(ws, _, turn) {
      if (turn !== 1) return send(ws, say(`turn ${turn}`));
      send(ws, [
        {
          type: "error",
          status: 400,
          error: { code: "websocket_connection_limit_reached", message: "60 minutes" },
        },
      ]);
    },
  });
  await using p = provider(`custom:${server.url}`, responses);
  await collect(p, request("hello"));
  expect(textOf(await collect(p, request("hello")))).toBe("turn 2");
});

test("PRV-10: a piece over a WebSocket that shows nothing is a sign of life", async () => {
  await using server = await serve({ socket: (ws) => send(ws, say("hi").slice(0, 1)) });
  await using p = provider(`custom:${server.url}`, responses);
  const answer = p.chat(request("hello"))[Symbol.asyncIterator]();
  expect((await answer.next()).value).toEqual({ type: "text", text: "" });
  await answer.return?.();
});

test("PRV-09: after text was shown a broken connection is an error, not another try", async () => {
  await using server = await serve({
    socket(ws) {
      ws.send(JSON.stringify(delta("half")), () => setImmediate(() => ws.terminate()));
    },
    http: (_, response) => stream(response, say("whole")),
  });
  await using p = provider(`custom:${server.url}`, responses);
  const events: ProviderEvent[] = await collect(p, request("hello"));
  expect(textOf(events)).toBe("half");
  expect(failureOf(events).code).toBe("PROVIDER_MALFORMED");
  expect(server.asked).toHaveLength(1);
});

test("PRV-09: cancel closes the connection and is the last event", async () => {
  const closed = Promise.withResolvers<true>();
  await using server = await serve({
    socket(ws) {
      ws.on("close", () => closed.resolve(true));
      send(ws, [delta("begin")]);
    },
  });
  await using p = provider(`custom:${server.url}`, responses);
  const stop = new AbortController();
  const events: ProviderEvent[] = [];
  for await (const event of p.chat(request("hello", { signal: stop.signal }))) {
    events.push(event);
    stop.abort();
  }
  expect(failureOf(events)).toMatchObject({ code: "PROVIDER_CANCELLED", retry: false });
  expect(await closed.promise).toBe(true);
});

test.each([
  [{ type: "error", status: 401, error: { message: "bad key" } }, "PROVIDER_AUTH"],
  [{ type: "error", error: { type: "server_error", message: "oops" } }, "PROVIDER_SERVER"],
  [{ type: "error", error: { code: "rate_limit_exceeded", message: "slow" } }, "PROVIDER_RATE_LIMIT"],
  [
    {
      type: "response.failed",
      response: { status: "failed", error: { code: "model_not_found", message: "no" } },
    },
    "PROVIDER_MODEL_UNKNOWN",
  ],
])("PRV-13: %j in responses mode is %s, over both ways", async (event, code) => {
  await using server = await serve({
    socket: (ws) => send(ws, [event]),
    http: (_, response) => stream(response, [event]),
  });
  for (const choice of ["1", "0"]) {
    await using p = provider(`custom:${server.url}`, responses, { SERVICE_RESPONSES_WEBSOCKET: choice });
    expect(failureOf(await collect(p, request("hello"))).code).toBe(code);
  }
});

test("PRV-09: a refused temperature is left out, on the same connection", async () => {
  await using server = await serve({
    socket(ws, create) {
      const refusal = {
        type: "error",
        status: 400,
        error: { message: "Unsupported parameter: 'temperature' is not supported with this model." },
      };
      send(ws, "temperature" in create ? [refusal] : say("ok"));
    },
  });
  await using p = provider(`custom:${server.url}`, responses);
  expect(textOf(await collect(p, request("hello")))).toBe("ok");
  expect(server.connections()).toBe(1);
});

test.each([
  [{ reason: "max_output_tokens" }, "MaxTokens"],
  [{ reason: "content_filter" }, "ContentFilter"],
])("PRV-09: an incomplete response (%j) stops with %s", async (incomplete_details, reason) => {
  const response = {
    status: "incomplete",
    incomplete_details,
    output: [{ type: "message", content: [{ type: "output_text", text: "cut" }] }],
  };
  await using server = await serve({ socket: (ws) => send(ws, [{ type: "response.incomplete", response }]) });
  await using p = provider(`custom:${server.url}`, responses);
  expect(await collect(p, request("hello"))).toEqual([
    { type: "text", text: "cut" },
    { type: "stop", reason },
  ]);
});

test("PRV-15: garbage, silence and endless frames on a WebSocket are one error", async () => {
  const line = JSON.stringify(delta("x".repeat(256 * 1024)));
  await using server = await serve({
    socket(ws, { input }) {
      const said = input[0].content[0].text;
      if (said === "garbage") ws.send("{nonsense");
      if (said === "endless") {
        const more = (): void => {
          if (ws.readyState === ws.OPEN) ws.send(line, () => setImmediate(more));
        };
        more();
      }
    },
  });
  await using p = provider(`custom:${server.url}`, {
    ...responses,
    providers: { custom: { timeout_seconds: 1 } },
  });
  expect(failureOf(await collect(p, request("garbage"))).code).toBe("PROVIDER_MALFORMED");
  expect(failureOf(await collect(p, request("silence"))).code).toBe("PROVIDER_TIMEOUT");
  expect(failureOf(await collect(p, request("endless"))).code).toBe("PROVIDER_TOO_LARGE");
});

test("OAI-12: a request that must call requires it of a server in responses mode", async () => {
  await using server = await serve({ socket: (ws) => send(ws, say("ok")) });
  await using p = provider(`custom:${server.url}`, { ...responses, api_key: "k" });
  await collect(p, request("x", { tools: tools("a"), mustCall: true }));
  expect(server.asked[0]?.body.tool_choice).toBe("required");
});
