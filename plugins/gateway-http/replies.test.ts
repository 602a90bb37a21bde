import { definePlugin, Routes, type RouteReply, type RouteRequest } from "@gantry/sdk";
import { fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { startGateway } from "./gateway.test-kit.ts";

/** Makes a plugin with one open route that answers so. */
function answering(reply: RouteReply | ((request: RouteRequest) => RouteReply)) {
  return definePlugin({
    name: "route-test",
    provides: [Routes],
    setup: (host) =>
      host.provide(Routes, {
        name: "GET /test",
        method: "GET",
        path: "/test",
        auth: "none",
        summary: "A test.",
        handle: async (request) => (typeof reply === "function" ? reply(request) : reply),
      }),
  });
}

async function* events() {
  yield { event: "delta", data: { a: 1 } };
  yield { data: "x" };
  yield { raw: "data: [DONE]\n\n" };
}

async function* broken() {
  yield { event: "delta", data: { a: 1 } };
  throw new Error("the feed is gone");
}

test("SDK-12: a page keeps its own type, and text without one is plain", async () => {
  const headers = { "content-type": "text/html; charset=utf-8", "x-own": "1" };
  await using page = await startGateway({
    plugins: [memoryStore(), fakeProvider([]), answering({ status: 200, text: "<p>hi</p>", headers })],
  });
  const reply = await page.ask("/test");
  expect([reply.text, reply.headers["content-type"], reply.headers["x-own"]]).toEqual([
    "<p>hi</p>",
    "text/html; charset=utf-8",
    "1",
  ]);
  await using plain = await startGateway({
    plugins: [memoryStore(), fakeProvider([]), answering({ status: 201, text: "hi" })],
  });
  expect((await plain.ask("/test")).headers["content-type"]).toBe("text/plain; charset=utf-8");
});

test("SDK-12: bytes arrive as they are", async () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
  const reply: RouteReply = { status: 200, bytes, headers: { "content-type": "image/png" } };
  await using gateway = await startGateway({ plugins: [memoryStore(), fakeProvider([]), answering(reply)] });
  const response = await fetch(`${gateway.url}/test`);
  expect(response.headers.get("content-type")).toBe("image/png");
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
});

test("SDK-12: events that throw end the stream early, and the log names the route and says why", async () => {
  const reply: RouteReply = { status: 200, events: broken() };
  await using gateway = await startGateway({ plugins: [memoryStore(), fakeProvider([]), answering(reply)] });
  await gateway.ask("/test").catch(() => {});
  await expect
    .poll(() => gateway.host.logs.filter(({ level }) => level === "error"))
    .toMatchObject([{ message: "A request failed: the feed is gone", detail: { route: "/test" } }]);
});

test("SDK-12: events are named, unnamed or written as they are, under headers of their own", async () => {
  const reply: RouteReply = { status: 200, events: events(), headers: { "x-own": "1" } };
  await using gateway = await startGateway({ plugins: [memoryStore(), fakeProvider([]), answering(reply)] });
  const { text, headers } = await gateway.ask("/test");
  expect(text.replace(/^(:\n\n)+/, "")).toBe('event: delta\ndata: {"a":1}\n\ndata: "x"\n\ndata: [DONE]\n\n');
  expect([headers["content-type"], headers["x-own"]]).toEqual(["text/event-stream; charset=utf-8", "1"]);
});

test.each([
  [{ code: "ROUTER_COOLING", retry: true, retryAfterMs: 4_200 }, 503, "5"],
  [{ code: "BUDGET_SPENT", retry: false, retryAfterMs: 60_000 }, 429, "60"],
  [{ code: "BUDGET_NO_PRICE", retry: false, configuration: true }, 503, undefined],
  [{ code: "PROVIDER_SERVER", retry: true }, 502, undefined],
] as const)(
  "GW-01: a turn that failed as %o is answered with %i, and with when to come again where that is known",
  async (facts, expected, again) => {
    const failure = { message: "It cannot be done now.", ...facts };
    await using gateway = await startGateway({ plugins: [memoryStore(), fakeProvider([{ failure }])] });
    const { token } = await gateway.pair();
    const { status, headers, json } = await gateway.ask("/api/chat", { body: { message: "hi" }, token });
    expect([status, headers["retry-after"], json.error.code]).toEqual([expected, again, facts.code]);
  },
);

/** The answer of a route, from a stream that counts its pieces and never ends. */
const endless: Record<string, (made: () => void) => RouteReply> = {
  events: (made) => ({ status: 200, events: pieces({ data: "x" }, made) }),
  stream: (made) => ({ status: 200, stream: pieces(new Uint8Array(1_000), made) }),
};

async function* pieces<T>(piece: T, made: () => void) {
  for (;;) {
    made();
    yield piece;
    await new Promise(setImmediate);
  }
}

test.each(Object.entries(endless))(
  "GW-01: HEAD of a route that answers %s has the headers of GET and leaves nothing running",
  async (_, answer) => {
    const seen = { made: 0, aborted: 0 };
    const route = answering(({ signal }) => {
      signal.addEventListener("abort", () => (seen.aborted += 1));
      return answer(() => (seen.made += 1));
    });
    const plugins = [memoryStore(), fakeProvider([]), route];
    await using gateway = await startGateway({ plugins });
    const head = await gateway.ask("/test", { method: "HEAD" });
    await expect.poll(() => seen).toEqual({ made: 0, aborted: 1 });
    const leave = new AbortController();
    const get = await fetch(`${gateway.url}/test`, { signal: leave.signal });
    expect([head.status, head.text]).toEqual([200, ""]);
    expect(head.headers["content-type"]).toBe(get.headers.get("content-type"));
    leave.abort();
    await expect.poll(() => seen.aborted).toBe(2);
  },
);
