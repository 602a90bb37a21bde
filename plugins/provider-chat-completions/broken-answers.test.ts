import { setTimeout as sleep } from "node:timers/promises";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ProviderEvent } from "@gantry/sdk";
import { jsonValues } from "@gantry/sdk/provider";
import {
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
  usage,
} from "./chat.test-kit.ts";
import { ChatAnswer } from "./chat-answer.ts";

async function answerOf(pieces: readonly unknown[], end = true, seconds = 45): Promise<ProviderEvent[]> {
  await using server = await serve((_, response) => stream(response, pieces, end));
  await using p = provider(`custom:${server.url}`, { providers: { custom: { timeout_seconds: seconds } } });
  return await collect(p, request("hello"));
}

test("PRV-15: text that was shown stays, and an end without a reason is an error", async () => {
  const events = await answerOf([chunk({ content: "half of" }), chunk({ content: " it" })]);
  expect(textOf(events)).toBe("half of it");
  expect(failureOf(events)).toMatchObject({
    code: "PROVIDER_MALFORMED",
    message: expect.stringContaining("broke off"),
  });
});

test("PRV-15: an answer that says nothing is an error, one that says nothing on purpose is not", async () => {
  expect(failureOf(await answerOf([])).code).toBe("PROVIDER_EMPTY");
  expect(failureOf(await answerOf([DONE])).code).toBe("PROVIDER_EMPTY");
  expect(failureOf(await answerOf([chunk({}, "tool_calls"), DONE])).code).toBe("PROVIDER_EMPTY");
  expect(await answerOf([chunk({ content: "" }, "stop"), DONE])).toEqual([
    { type: "stop", reason: "EndTurn" },
  ]);
});

test.each([
  ["a web page", "<html><body>Welcome</body></html>"],
  ["words", "hello\nthere\n\n"],
  ["half JSON in an event", 'data: {"choices":[{\n\n'],
  ["another document", '{"hello":"world"}'],
  ["a list", "[1,2,3]"],
  ["an event that is a number", "data: 7\n\n"],
  ["broken JSON", '{"choices":'],
  ["binary", "\u0000\u0001\u0002\ufffd".repeat(1000)],
])("PRV-15: %s in place of an answer is one error event", async (_, body) => {
  const failure = failureOf(await answerOf([body]));
  expect(["PROVIDER_MALFORMED", "PROVIDER_EMPTY"]).toContain(failure.code);
});

test("PRV-15: an endless answer is cut off by size, without being kept", async () => {
  const line = `data: ${JSON.stringify(chunk({ content: "x".repeat(64 * 1024) }))}\n\n`;
  await using server = await serve((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const more = (): void => {
      while (!response.destroyed && response.write(line));
    };
    response.on("drain", more);
    more();
  });
  await using p = provider(`custom:${server.url}`);
  let bytes = 0;
  let last: ProviderEvent | undefined;
  for await (const event of p.chat(request("hello"))) {
    if (event.type === "text") bytes += event.text.length;
    last = event;
  }
  expect(bytes).toBeLessThanOrEqual(16 * 1024 * 1024);
  expect(failureOf([last!])).toMatchObject({
    code: "PROVIDER_TOO_LARGE",
    message: expect.stringContaining("16777216 bytes"),
  });
});

test("PRV-15: an endless line without an event is cut off by size too", async () => {
  await using server = await serve((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const more = (): void => {
      while (!response.destroyed && response.write("x".repeat(64 * 1024)));
    };
    response.on("drain", more);
    more();
  });
  await using p = provider(`custom:${server.url}`);
  expect(failureOf(await collect(p, request("hello"))).code).toBe("PROVIDER_TOO_LARGE");
});

test("PRV-15: a server that falls silent in the middle is a timeout", async () => {
  const events = await answerOf([chunk({ content: "and then" })], false, 2);
  expect(textOf(events)).toBe("and then");
  expect(failureOf(events).code).toBe("PROVIDER_TIMEOUT");
});

test("PRV-15: a server that sends signs of life for ever is stopped as a whole", async () => {
  await using server = await serve(async (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    while (!response.destroyed) {
      response.write(": still here\n\n");
      await sleep(20);
    }
  });
  await using p = provider(`custom:${server.url}`);
  Object.assign(p.endpoint, { timeoutMs: 50 });
  expect(failureOf(await collect(p, request("hello"))).code).toBe("PROVIDER_TIMEOUT");
});

test("PRV-06: a stream that is not closed after its last event does not hold the answer up", async () => {
  // One that waited for the end would be PROVIDER_TIMEOUT in the end.
  const events = await answerOf([chunk({ content: "done" }, "stop"), usage, DONE], false);
  expect(events.at(-1)).toEqual({ type: "stop", reason: "EndTurn" });
});

test("PRV-06: a stream without [DONE] still ends with its usage", async () => {
  expect(await answerOf([chunk({ content: "done" }), chunk({}, "stop"), usage])).toEqual([
    { type: "text", text: "done" },
    { type: "usage", inputTokens: 7, outputTokens: 3 },
    { type: "stop", reason: "EndTurn" },
  ]);
});

test("PRV-06: a last event without the blank line behind it counts", async () => {
  const last = `data: ${JSON.stringify(chunk({ content: "done" }, "stop"))}`;
  expect(await answerOf([last])).toEqual([
    { type: "text", text: "done" },
    { type: "stop", reason: "EndTurn" },
  ]);
});

test("PRV-06: a server that answers a stream request with plain JSON is understood", async () => {
  await using server = await serve((_, response) =>
    json(response, 200, {
      choices: [
        {
          message: {
            content: "Looking.",
            tool_calls: [{ id: "c1", function: { name: "a", arguments: { path: "x" } } }],
          },
          finish_reason: "tool_calls",
        },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 2 },
    }),
  );
  await using p = provider(`custom:${server.url}`);
  const events = await collect(p, request("hello"));
  expect(textOf(events)).toBe("Looking.");
  expect(callsOf(events)).toEqual([{ id: "c1", name: "a", args: '{"path":"x"}' }]);
  expect(events.at(-1)).toEqual({ type: "stop", reason: "ToolUse" });
});

test.each([undefined, null, ""])(
  "PRV-01: a whole answer may leave its finish_reason out (%j)",
  async (finish_reason) => {
    const message = { role: "assistant", content: "hi" };
    await using server = await serve((_, response) =>
      json(response, 200, { choices: [{ message, finish_reason }] }),
    );
    await using p = provider(`custom:${server.url}`);
    expect(await collect(p, request("hello"))).toEqual([
      { type: "text", text: "hi" },
      { type: "stop", reason: "EndTurn" },
    ]);
  },
);

test("PRV-06: an empty finish_reason in every chunk is no reason to stop", async () => {
  const events = await answerOf([chunk({ content: "half" }, ""), chunk({ content: " of it" }, "")]);
  expect(failureOf(events)).toMatchObject({ message: expect.stringContaining("broke off") });
});

test("PRV-15: a reason that is no reason is the end of a turn, and `error` is no whole answer", async () => {
  expect((await answerOf([chunk({ content: "x" }, "constructor"), DONE])).at(-1)).toEqual({
    type: "stop",
    reason: "EndTurn",
  });
  expect(failureOf(await answerOf([chunk({ content: "x" }, "error"), DONE])).code).toBe("PROVIDER_MALFORMED");
});

test("PRV-15: what came before a broken piece is shown, also where both came at once", async () => {
  const events = await answerOf([
    `data: ${JSON.stringify(chunk({ content: "begin" }))}\n\ndata: {"choices":\n\n`,
  ]);
  expect(textOf(events)).toBe("begin");
  expect(failureOf(events).code).toBe("PROVIDER_MALFORMED");
});

test.each([
  [{ error: { message: "overloaded", code: 503 } }, "PROVIDER_SERVER"],
  [{ error: { message: "slow", type: "rate_limit_error" } }, "PROVIDER_RATE_LIMIT"],
  [{ error: "the context is too long" }, "PROVIDER_REQUEST"],
])("PRV-13: an error inside a good answer (%j) is %s", async (value, code) => {
  const events = await answerOf([chunk({ content: "a" }), value]);
  expect(failureOf(events).code).toBe(code);
});

test("PRV-06: cancel stops the request at the server and is the last event", async () => {
  const gone = Promise.withResolvers<true>();
  await using server = await serve((_, response) => {
    response.on("close", () => gone.resolve(true));
    stream(response, [chunk({ content: "begin" })], false);
  });
  await using p = provider(`custom:${server.url}`);
  const stop = new AbortController();
  const events: ProviderEvent[] = [];
  for await (const event of p.chat(request("hello", { signal: stop.signal }))) {
    events.push(event);
    if (event.type === "text") stop.abort();
  }
  expect(failureOf(events)).toMatchObject({ code: "PROVIDER_CANCELLED", retry: false });
  expect(await gone.promise).toBe(true);
});

test("PRV-06: a reader that walks away stops the request at the server", async () => {
  const gone = Promise.withResolvers<true>();
  await using server = await serve((_, response) => {
    response.on("close", () => gone.resolve(true));
    stream(response, [chunk({ content: "begin" })], false);
  });
  await using p = provider(`custom:${server.url}`);
  for await (const _ of p.chat(request("hello"))) break;
  expect(await gone.promise).toBe(true);
});

test("PRV-06: turns after one another keep their connections, also for a reader that leaves at the stop", async () => {
  const ports = new Set<number | undefined>();
  await using server = await serve((_, response) => {
    ports.add(response.socket?.remotePort);
    stream(response, [chunk({ content: "x" }, "stop"), usage, DONE]);
  });
  await using p = provider(`custom:${server.url}`);
  for (let i = 0; i < 8; i += 1)
    for await (const event of p.chat(request("hello"))) if (event.type === "stop") break;
  // The next request may begin before the end of the last body has come in, so two take turns.
  expect(ports.size).toBeLessThanOrEqual(2);
});

const pieces = [
  chunk({ role: "assistant", content: "Grüße 👋 " }),
  chunk({ tool_calls: [{ index: 0, id: "c", function: { name: "a", arguments: '{"p":' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '"ü"}' } }] }, "tool_calls"),
  usage,
];
const wire = Buffer.from(
  `: hi\r\n\r\n${pieces.map((piece) => `data: ${JSON.stringify(piece)}\r\n\r\n`).join("")}data: [DONE]`,
);

async function read(parts: readonly Uint8Array[]): Promise<ProviderEvent[]> {
  const reader = new ChatAnswer({ name: "p", model: "m", tools: ["a"], toolOption: "", secrets: [] });
  const body = async function* () {
    yield* parts;
  };
  const events: ProviderEvent[] = [];
  for await (const value of jsonValues(body(), "p")) events.push(...reader.take(value));
  return [...events, ...reader.end()];
}

test("PRV-15: it does not matter where the network cuts an answer", async () => {
  const whole = await read([wire]);
  expect(whole.at(-1)).toEqual({ type: "stop", reason: "ToolUse" });
  expect(callsOf(whole)).toEqual([{ id: "c", name: "a", args: '{"p":"ü"}' }]);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(wire.length), { maxLength: 12 }), async (cuts) => {
      const at = [0, ...cuts.toSorted((a, b) => a - b), wire.length];
      const parts = at.slice(1).map((end, i) => wire.subarray(at[i], end));
      const events = await read(parts);
      expect(textOf(events)).toBe(textOf(whole));
      expect(events.filter((event) => event.type !== "text")).toEqual(
        whole.filter((event) => event.type !== "text"),
      );
    }),
  );
});

test("PRV-15: any JSON in place of an answer ends in exactly one end and never throws", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { maxLength: 6 }), fc.jsonValue(), (values, delta) => {
      const reader = new ChatAnswer({
        name: "p",
        model: undefined,
        tools: ["a"],
        toolOption: "",
        secrets: [],
      });
      const odd = [
        { choices: [{ delta }] },
        { choices: [{ message: { tool_calls: delta, content: delta }, finish_reason: delta }] },
      ];
      const events = [...values, ...odd].flatMap((value) => reader.take(value));
      events.push(...reader.end());
      expect(events.filter((event) => event.type === "stop" || event.type === "error")).toHaveLength(1);
      expect(["stop", "error"]).toContain(events.at(-1)?.type);
    }),
  );
});
