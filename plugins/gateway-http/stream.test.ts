import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { request as httpRequest, type ClientRequest, type IncomingMessage } from "node:http";
import { promisify } from "node:util";
import {
  textParts,
  ask,
  Approvals,
  definePlugin,
  defineTool,
  Services,
  Store,
  Tools,
  type Plugin,
} from "@gantry/sdk";
import { bundledPlugin, fakeChannel, fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test } from "vitest";
import { eventStream } from "./event-stream.ts";
import { startGateway, type TestGateway } from "./gateway.test-kit.ts";

interface Said {
  readonly event: string;
  readonly data: any;
}

interface Stream {
  readonly response: IncomingMessage;
  /** Returns the next event; undefined at the end. */
  next(): Promise<Said | undefined>;
  rest(): Promise<Said[]>;
  leave(): void;
}

/** Sends POST /api/chat with `stream`, whose answer is read event by event. */
async function openStream(
  gateway: TestGateway,
  token: string,
  message: string,
  session_id?: string,
): Promise<Stream> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  let request!: ClientRequest;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request = httpRequest(
      { port: gateway.port, host: "127.0.0.1", path: "/api/chat", method: "POST", headers, agent: false },
      resolve,
    );
    request.on("error", reject).end(JSON.stringify({ message, session_id, stream: true }));
  });
  const events = read(response);
  const next = async (): Promise<Said | undefined> => {
    const { done, value } = await events.next();
    return done ? undefined : value;
  };
  const rest = async (): Promise<Said[]> => {
    const all: Said[] = [];
    for (let said = await next(); said; said = await next()) all.push(said);
    return all;
  };
  return { response, next, rest, leave: () => void request.destroy() };
}

async function* read(response: IncomingMessage): AsyncGenerator<Said> {
  let text = "";
  for await (const piece of response.setEncoding("utf8")) {
    text += piece;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const [, event, data] = /^event: (.+)\ndata: (.+)$/.exec(block) ?? [];
      if (event && data) yield { event, data: JSON.parse(data) };
    }
  }
}

/** A tool that a person must approve. */
const bell: Plugin = definePlugin({
  name: "bell",
  provides: [Tools],
  taps: ["beforeToolCall"],
  setup(host) {
    const tool = defineTool({
      name: "bell",
      description: "Rings.",
      input: Type.Object({ times: Type.Integer() }),
      run: async ({ args }) => `rang ${args.times} times`,
    });
    host.provide(Tools, tool);
    host.hooks.beforeToolCall.tap(() => ask({ code: "BELL", message: "bells are loud" }));
  },
});

const ringing = [{ text: "One moment. ", calls: [{ name: "bell", args: { times: 2 } }] }, "It rang."];

function started(
  script: Parameters<typeof fakeProvider>[0],
  ...plugins: readonly Plugin[]
): Promise<TestGateway> {
  return startGateway({ plugins: [memoryStore(), fakeProvider(script), ...plugins] });
}

test("GW-07: a streamed turn tells its deltas and ends with done, which is what the plain answer would be", async () => {
  await using gateway = await started(["one two three"]);
  const { token } = await gateway.pair();
  const stream = await openStream(gateway, token, "hi");
  expect(stream.response.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
  const events = await stream.rest();
  const done = events.pop();
  expect(events.every(({ event }) => event === "delta")).toBe(true);
  expect(events.map(({ data }) => data.text).join("")).toBe("one two three");
  const plain = (await gateway.ask("/api/chat", { body: { message: "hi" }, token })).json;
  expect(done).toEqual({ event: "done", data: { ...plain, session_id: expect.any(String) } });
});

test("GW-07: a question comes as an event, is listed, and runs the exact call once it is allowed", async () => {
  await using gateway = await started(ringing, bell);
  const { token } = await gateway.pair("phone");
  const other = await gateway.pair("tablet");
  const stream = await openStream(gateway, token, "ring");
  const seen: Said[] = [];
  while (seen.at(-1)?.event !== "approval_request") seen.push((await stream.next()) as Said);
  expect(seen.map(({ event }) => event)).toContain("tool_call");
  const question = seen.at(-1)?.data;
  expect(question).toMatchObject({
    tool: "bell",
    args: { times: 2 },
    reasons: ["bells are loud"],
    expires: expect.any(String),
  });
  expect((await gateway.ask("/api/approvals", { token: other.token })).json).toEqual({
    approvals: [question],
  });
  const path = `/api/approvals/${question.id}`;
  expect((await gateway.ask(path, { body: { decision: "allow" } })).status).toBe(401);
  for (const body of [{ decision: "yes" }, { decision: "ALLOW" }, {}, { decision: true }])
    expect((await gateway.ask(path, { body, token })).status).toBe(400);
  expect(
    (await gateway.ask("/api/approvals/0000", { body: { decision: "allow" }, token })).json.error.code,
  ).toBe("GATEWAY_APPROVAL_UNKNOWN");
  expect((await gateway.ask(path, { body: { decision: "allow" }, token: other.token })).json).toEqual({
    id: question.id,
    decision: "allow",
  });
  const again = await gateway.ask(path, { body: { decision: "allow" }, token });
  expect([again.status, again.json.error.code]).toEqual([409, "GATEWAY_APPROVAL_DECIDED"]);
  const rest = await stream.rest();
  expect(rest).toContainEqual({
    event: "tool_result",
    data: expect.objectContaining({ tool: "bell", decision: "approved", text: "rang 2 times" }),
  });
  expect(rest.at(-1)).toMatchObject({
    event: "done",
    data: { reply: "It rang.", tool_calls: [{ tool: "bell", decision: "approved" }] },
  });
  expect(gateway.host.audit).toContainEqual(
    expect.objectContaining({ event_type: "tool_call", user: expect.stringMatching(/^http:d[0-9a-f]{12}$/) }),
  );
});

test("SEC-19: over HTTP a question carries all that any other way to a person shows", async () => {
  await using gateway = await started(ringing, bell);
  const { token } = await gateway.pair();
  const stream = await openStream(gateway, token, "ring");
  let said = await stream.next();
  while (said?.event !== "approval_request") said = await stream.next();
  expect(said.data).toMatchObject({
    preview: 'bell {"times":2}',
    lines: 1,
    commands: 0,
    warnings: [],
    always: "bell with exactly these arguments",
  });
  stream.leave();
});

test("SEC-14: over HTTP `always` holds for the rest of the conversation", async () => {
  await using gateway = await started([...ringing, ...ringing], bell);
  const { token } = await gateway.pair();
  const ring = { message: "ring", session_id: "one" };
  const stream = await openStream(gateway, token, "ring", "one");
  let said = await stream.next();
  while (said?.event !== "approval_request") said = await stream.next();
  const path = `/api/approvals/${said.data.id}`;
  expect((await gateway.ask(path, { body: { decision: "always" }, token })).status).toBe(200);
  await stream.rest();
  const { json } = await gateway.ask("/api/chat", { body: ring, token });
  expect(json.tool_calls).toEqual([{ tool: "bell", decision: "allowed" }]);
});

test("SEC-18: a device neither sees nor decides what somebody in a channel is asked", async () => {
  const channel = fakeChannel("fake", { owners: ["alice"] });
  await using gateway = await started(ringing, bell, channel);
  const { token } = await gateway.pair();
  await channel.receive({ text: "ring" });
  await channel.sentCount(1);
  const [question] = await gateway.host.slot(Approvals).pending();
  expect(question?.user).toBe("fake:alice");
  expect((await gateway.ask("/api/approvals", { token })).json).toEqual({ approvals: [] });
  const path = `/api/approvals/${question?.id}`;
  const { status, json } = await gateway.ask(path, { body: { decision: "allow" }, token });
  expect([status, json.error.code]).toEqual([404, "GATEWAY_APPROVAL_UNKNOWN"]);
  await channel.receive({ text: "no" });
  await channel.sentCount(2);
});

test("GW-07: a denied question refuses the call and the turn goes on", async () => {
  await using gateway = await started(ringing, bell);
  const { token } = await gateway.pair();
  const stream = await openStream(gateway, token, "ring");
  let said = await stream.next();
  while (said?.event !== "approval_request") said = await stream.next();
  expect(
    (await gateway.ask(`/api/approvals/${said.data.id}`, { body: { decision: "deny" }, token })).status,
  ).toBe(200);
  expect((await stream.rest()).at(-1)).toMatchObject({
    event: "done",
    data: { tool_calls: [{ tool: "bell", decision: "refused", code: "APPROVAL_DENIED" }] },
  });
});

test("SDK-21: of two devices that decide at once the later one is told who did", async () => {
  await using gateway = await started(ringing, bell);
  const { token, device_id } = await gateway.pair("one");
  const devices = [{ token, device_id }, await gateway.pair("two")];
  const stream = await openStream(gateway, token, "ring");
  let said = await stream.next();
  while (said?.event !== "approval_request") said = await stream.next();
  const path = `/api/approvals/${said.data.id}`;
  const answers = await Promise.all(
    devices.map((device) => gateway.ask(path, { body: { decision: "deny" }, token: device.token })),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const winner = devices[answers.findIndex(({ status }) => status === 200)];
  const late = answers.find(({ status }) => status === 409);
  expect(late?.json.error.message).toContain(`already decided by http:${winner?.device_id}`);
  await stream.rest();
});

test("GW-07: without stream nobody can be asked, so the call is refused", async () => {
  await using gateway = await started(ringing, bell);
  const { token } = await gateway.pair();
  const { status, json } = await gateway.ask("/api/chat", { body: { message: "ring" }, token });
  expect([status, json.tool_calls]).toEqual([
    200,
    [{ tool: "bell", decision: "refused", code: "APPROVAL_NO_PERSON" }],
  ]);
});

test("GW-07: a client that leaves ends its turn and its question", async () => {
  await using gateway = await started(ringing, bell);
  const { token } = await gateway.pair();
  const stream = await openStream(gateway, token, "ring");
  let said = await stream.next();
  while (said?.event !== "approval_request") said = await stream.next();
  stream.leave();
  await expect.poll(() => gateway.host.slot(Approvals).pending()).toEqual([]);
  const { status } = await gateway.ask(`/api/approvals/${said.data.id}`, {
    body: { decision: "allow" },
    token,
  });
  expect(status).toBe(409);
  expect(
    gateway.host.audit.filter(
      ({ event_type, result }) => event_type === "tool_call" && result === "approved",
    ),
  ).toEqual([]);
});

const failure = { code: "PROVIDER_TIMEOUT", message: "The model did not answer.", retry: false };

test("GW-07: what is no request, sent while events still come, ends the connection and is not answered in their midst", async () => {
  await using gateway = await started([{ text: "one two three", after: new Promise(() => {}) }]);
  const { token } = await gateway.pair();
  const stream = await openStream(gateway, token, "hi");
  let then = "";
  stream.response.socket.on("data", (piece) => (then += piece.toString()));
  stream.response.socket.write("no request\r\n\r\n");
  await expect(stream.rest()).rejects.toMatchObject({ code: "ECONNRESET" });
  expect(then).not.toContain("HTTP/1.1");
});

test("GW-07: a turn that fails is an error event, and without stream an error with a fitting status", async () => {
  await using gateway = await started([{ text: "Well, ", failure }]);
  const { token } = await gateway.pair();
  const events = await (await openStream(gateway, token, "hi")).rest();
  expect(events.at(-1)).toEqual({
    event: "error",
    data: { code: "PROVIDER_TIMEOUT", message: "The model did not answer." },
  });
  const { status, json } = await gateway.ask("/api/chat", { body: { message: "hi" }, token });
  expect([status, json]).toEqual([
    504,
    { error: { code: "PROVIDER_TIMEOUT", message: "The model did not answer." } },
  ]);
});

test("GW-07: session_id continues a conversation", async () => {
  const provider = fakeProvider(["first", "second"]);
  await using gateway = await startGateway({ plugins: [memoryStore(), provider] });
  const { token } = await gateway.pair();
  const { json } = await gateway.ask("/api/chat", { body: { message: "one" }, token });
  const next = await gateway.ask("/api/chat", {
    body: { message: "two", session_id: json.session_id },
    token,
  });
  expect(next.json).toMatchObject({ reply: "second", session_id: json.session_id });
  expect(provider.requests[1]?.messages.slice(1)).toMatchObject([
    { parts: textParts("one") },
    { parts: textParts("first") },
    { parts: textParts("two") },
  ]);
});

test("SEC-17: a device continues no conversation of another device, of the terminal or of a channel's sender", async () => {
  const channel = fakeChannel("chatapp");
  const provider = fakeProvider(Array<string>(9).fill("secret"));
  await using gateway = await startGateway({ plugins: [memoryStore(), channel, provider] });
  const [one, two] = [await gateway.pair("one"), await gateway.pair("two")];
  await gateway.ask("/api/chat", { body: { message: "hi", session_id: "mine" }, token: one.token });
  await gateway.host.ask("hi", { session: "terminal", user: "cli:me" });
  await channel.receive({ text: "hi", from: "+15550001111" });
  await channel.sentCount(1);
  const heard = provider.requests.length;
  for (const session_id of ["mine", "terminal", "chatapp:+15550001111", "chatapp:+15550002222"]) {
    for (const stream of [false, true]) {
      const { status, text } = await gateway.ask("/api/chat", {
        body: { message: "go on", session_id, stream },
        token: two.token,
      });
      expect([session_id, status, text]).toEqual([
        session_id,
        stream ? 200 : 403,
        expect.stringContaining("SESSION_FOREIGN"),
      ]);
    }
  }
  expect(provider.requests.length).toBe(heard);
  await gateway.host.slot(Store).sessions.share("mine", `http:${two.device_id}`);
  const shared = { message: "go on", session_id: "mine" };
  expect((await gateway.ask("/api/chat", { body: shared, token: two.token })).status).toBe(200);
});

async function curl(...args: readonly string[]): Promise<string> {
  return (await promisify(execFile)("/usr/bin/curl", ["--silent", "--no-buffer", ...args])).stdout;
}

test.skipIf(!existsSync("/usr/bin/curl"))("GW-07: curl pairs, chats and reads the events", async () => {
  await using gateway = await started(["hello there"]);
  const post = (path: string, body: object, ...more: readonly string[]) =>
    curl("--json", JSON.stringify(body), ...more, `${gateway.url}${path}`);
  const code = (await gateway.word("pair new")).out.trim();
  const { token } = JSON.parse(await post("/pair", { code }));
  const said = await post(
    "/api/chat",
    { message: "hi", stream: true },
    "--header",
    `Authorization: Bearer ${token}`,
  );
  expect(said.match(/^event: (?:delta|done)$/gm)).toEqual(["event: delta", "event: delta", "event: done"]);
  expect(
    await curl("--output", "/dev/null", "--write-out", "%{http_code}", `${gateway.url}/api/approvals`),
  ).toBe("401");
});

test("GW-07: a client that does not read its events has its turn stopped, so that they do not fill the memory", async () => {
  const provider = fakeProvider([
    { text: `${"x".repeat(65_536)} `.repeat(100), calls: [{ name: "nothing", args: {} }] },
  ]);
  await using gateway = await startGateway({ plugins: [memoryStore(), provider] });
  const { token } = await gateway.pair();
  const stream = await openStream(gateway, token, "hi");
  stream.response.pause();
  await expect.poll(() => provider.requests.at(-1)?.signal.aborted).toBe(true);
  expect((await gateway.ask("/health")).status).toBe(200);
  stream.leave();
});

test("GW-07: a line on which nothing is said is kept alive", async () => {
  const { promise: silence, resolve: speak } = Promise.withResolvers<void>();
  async function* events() {
    await silence;
    yield { event: "done", data: {} };
  }
  const stream = eventStream(events(), 20, () => {});
  const pieces: string[] = [];
  for await (const piece of stream) {
    pieces.push(String(piece));
    if (pieces.length === 4) speak();
  }
  expect(pieces.slice(0, 4)).toEqual([":\n\n", ":\n\n", ":\n\n", ":\n\n"]);
  expect(pieces.at(-1)).toBe("event: done\ndata: {}\n\n");
});

test("GW-07: stopping lets a running turn finish, refuses new ones, and does not wait for idle connections", async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>();
  const script = [
    () => {
      onAsked();
      return { text: "late", after: answered };
    },
  ];
  await using gateway = await started(script);
  const { token } = await gateway.pair();
  const keepAlive = await fetch(`${gateway.url}/health`);
  await keepAlive.text();
  const running = gateway.ask("/api/chat", { body: { message: "hi" }, token });
  await asked;
  const stopped = gateway.host.slot(Services).get("gateway")!.stop(AbortSignal.timeout(60_000));
  await expect(gateway.ask("/health")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  answer();
  expect(await running).toMatchObject({ status: 200, json: { reply: "late" } });
  await stopped;
});

test("GW-07: when the time to stop is up, a turn that still runs is cut and answered so", async () => {
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>();
  const script = [
    () => {
      onAsked();
      return { text: "never", after: new Promise(() => {}) };
    },
  ];
  await using gateway = await started(script);
  const { token } = await gateway.pair();
  const running = gateway.ask("/api/chat", { body: { message: "hi" }, token });
  await asked;
  const [turn] = await Promise.allSettled([
    running,
    gateway.host.slot(Services).get("gateway")!.stop(AbortSignal.timeout(50)),
  ]);
  expect(turn).toMatchObject({ value: { status: 503, json: { error: { code: "GATEWAY_STOPPING" } } } });
});

test("SDK-15: a stream tells how far a tool is", async () => {
  const count = definePlugin({
    name: "count",
    provides: [Tools],
    setup: (host) =>
      host.provide(
        Tools,
        defineTool({
          name: "count",
          description: "Counts.",
          input: Type.Object({}),
          async run({ progress }) {
            progress?.({ done: 2, total: 5, text: "pages" });
            return "counted";
          },
        }),
      ),
  });
  await using gateway = await started([{ calls: [{ name: "count", args: {} }] }, "done"], count);
  const { token } = await gateway.pair();
  const events = await (await openStream(gateway, token, "count")).rest();
  const told = events.find(({ event }) => event === "tool_progress");
  expect(told?.data).toEqual({ id: expect.any(String), tool: "count", done: 2, total: 5, text: "pages" });
});

test("SDK-15: a stream brings a tool's question, which its own device alone answers, once", async () => {
  const wonder = definePlugin({
    name: "wonder",
    provides: [Tools],
    setup: (host) =>
      host.provide(
        Tools,
        defineTool({
          name: "wonder",
          description: "Asks.",
          input: Type.Object({}),
          async run({ ask: askThem }) {
            const form = { type: "object", properties: { age: { type: "integer" } } } as const;
            return JSON.stringify(await askThem?.({ text: "How old?", form }));
          },
        }),
      ),
  });
  await using gateway = await started(
    [{ calls: [{ name: "wonder", args: {} }] }, "done"],
    wonder,
    await bundledPlugin("ask-words"),
  );
  const { token } = await gateway.pair("phone");
  const other = await gateway.pair("tablet");
  const stream = await openStream(gateway, token, "ask me");
  let said = await stream.next();
  while (said && said.event !== "tool_question") said = await stream.next();
  expect(said?.data).toMatchObject({ tool: "wonder", text: "How old?" });
  const path = `/api/questions/${said?.data.id}`;
  const answer = (by: string, body: object) => gateway.ask(path, { token: by, body });
  expect((await answer(other.token, { answer: "7" })).status).toBe(404);
  expect((await answer(token, { answer: "old" })).status).toBe(422);
  expect((await answer(token, { answer: { age: 7 } })).status).toBe(200);
  expect((await answer(token, { answer: { age: 8 } })).status).toBe(409);
  const result = (await stream.rest()).find(({ event }) => event === "tool_result");
  expect(JSON.parse(result?.data.text)).toEqual({ action: "accept", content: { age: 7 } });
});
