import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import {
  Approvals,
  definePlugin,
  Routes,
  Services,
  type Plugin,
  type Route,
  type RouteFacts,
  type RouteRequest,
  type ServerEvent,
} from "@gantry/sdk";
import { askingTool, fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { startGateway, type TestGateway } from "./gateway.test-kit.ts";

/** Makes a plugin of one route. */
function routing(path: string, handle: Route["handle"], more: Partial<RouteFacts> = {}): Plugin {
  const method = more.method ?? "GET";
  const route: Route = {
    name: `${method} ${path}`,
    method,
    path,
    auth: "none",
    summary: "s",
    handle,
    ...more,
  };
  return definePlugin({
    name: "routing",
    provides: [Routes],
    setup: (host) => host.provide(Routes, route),
  });
}

/** The head of an answer, and its body once it has ended. */
interface Reading {
  readonly response: IncomingMessage;
  readonly text: Promise<string>;
}

async function read(gateway: TestGateway, path: string, token?: string, body?: object): Promise<Reading> {
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body && { "content-type": "application/json" }),
  };
  const method = body ? "POST" : "GET";
  const request = httpRequest(`${gateway.url}${path}`, { method, headers, agent: false });
  request.end(body && JSON.stringify(body));
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const text = (async () => {
    let all = "";
    for await (const piece of response.setEncoding("utf8")) all += piece;
    return all;
  })();
  return { response, text };
}

/** Stops the gateway, which has a minute to end what is in hand. */
const stop = (gateway: TestGateway, ms: number = 60_000): Promise<void> | undefined =>
  gateway.host.slot(Services).get("gateway")?.stop(AbortSignal.timeout(ms));

/** Events that end by their own last one. */
async function* polite({ signal }: RouteRequest): AsyncGenerator<ServerEvent> {
  yield { event: "hello", data: 1 };
  if (!signal.aborted) await once(signal, "abort");
  yield { event: "bye", data: (signal.reason as { code?: string }).code };
}

/** Yields an event, and then nothing. */
async function* deaf(): AsyncGenerator<ServerEvent> {
  yield { data: 1 };
  await new Promise(() => {});
}

test("SDK-20: a stop waits for none of 20 open streams, and each ends with its last event", async () => {
  const plugin = routing("/events", async (request) => ({ status: 200, events: polite(request) }));
  await using gateway = await startGateway({ plugins: [memoryStore(), fakeProvider([]), plugin] });
  const streams = await Promise.all(Array.from({ length: 20 }, () => read(gateway, "/events")));
  await stop(gateway);
  for (const { text, response } of streams) {
    expect(await text).toMatch(/event: hello\ndata: 1\n\nevent: bye\ndata: "GATEWAY_STOPPING"\n\n$/);
    expect(response.complete).toBe(true);
  }
});

test("SDK-20: a stream of events that does not heed its signal is ended whole by a stop", async () => {
  const plugin = routing("/events", async () => ({ status: 200, events: deaf() }));
  await using gateway = await startGateway({ plugins: [memoryStore(), fakeProvider([]), plugin] });
  const { text, response } = await read(gateway, "/events");
  await stop(gateway);
  expect(await text).toContain("data: 1\n\n");
  expect(response.complete).toBe(true);
});

test("SDK-20: a streamed turn that a stop cuts ends with an error that says so", async () => {
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>();
  const never = () => {
    onAsked();
    return { text: "never", after: new Promise(() => {}) };
  };
  await using gateway = await startGateway({ plugins: [memoryStore(), fakeProvider([never])] });
  const { token } = await gateway.pair();
  const { text } = await read(gateway, "/api/chat", token, { message: "hi", stream: true });
  await asked;
  await stop(gateway, 50);
  expect(await text).toMatch(/event: error\ndata: \{"code":"GATEWAY_STOPPING",.*\}\n\n$/);
});

test("SDK-20: a question whose turn a stop has ended is told as not open, never as decided", async () => {
  const asking = askingTool();
  const model = fakeProvider([{ calls: [{ name: asking.toolName, args: {} }] }, "done"]);
  const { promise: held, resolve: go } = Promise.withResolvers<void>();
  await using gateway = await startGateway({ plugins: [memoryStore(), model, asking.plugin] });
  const { token } = await gateway.pair();
  const approvals = gateway.host.slot(Approvals);
  const { text } = await read(gateway, "/api/chat", token, { message: "hi", stream: true });
  await expect.poll(async () => (await approvals.pending()).length).toBe(1);
  const [{ id } = { id: "" }] = await approvals.pending();
  const { promise: arrived, resolve: onArrived } = Promise.withResolvers<void>();
  const decide = approvals.decide.bind(approvals);
  approvals.decide = async (...said) => {
    onArrived();
    await held;
    return decide(...said);
  };
  // The decision is on its way when the stop begins.
  const decided = gateway.ask(`/api/approvals/${id}`, { token, body: { decision: "allow" } });
  await arrived;
  const stopped = stop(gateway, 50);
  await text;
  await expect.poll(async () => (await approvals.pending()).length).toBe(0);
  go();
  const { status, json } = await decided;
  expect([status, json.error.code]).toEqual([409, "GATEWAY_APPROVAL_OVER"]);
  expect(json.error.message).toContain("The turn that asked it was stopped.");
  await stopped;
});

test("SDK-20: a route may be PATCH", async () => {
  const plugin = routing("/thing", async () => ({ status: 200, text: "patched" }), { method: "PATCH" });
  await using gateway = await startGateway({ plugins: [memoryStore(), fakeProvider([]), plugin] });
  const { text } = await gateway.ask("/thing", { method: "PATCH" });
  expect(text).toBe("patched");
  expect((await gateway.ask("/thing")).headers["allow"]).toBe("PATCH");
});

const piece = new Uint8Array(65_536).fill(7);

async function* broken(): AsyncGenerator<Uint8Array> {
  yield piece;
  throw new Error("the disk went away");
}

test("SDK-20: a stream of bytes is read only as fast as its client takes it", async () => {
  let given = 0;
  const pieces = async function* () {
    for (; given < 1_000; given += 1) yield piece;
  };
  const plugin = routing("/bytes", async () => ({ status: 200, stream: pieces() }));
  await using gateway = await startGateway({ plugins: [memoryStore(), fakeProvider([]), plugin] });
  const request = httpRequest(`${gateway.url}/bytes`, { agent: false });
  request.end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  let before = -1;
  await expect.poll(() => before === (before = given), { interval: 100 }).toBe(true);
  expect(given).toBeLessThan(500);
  let bytes = 0;
  for await (const chunk of response) bytes += (chunk as Buffer).length;
  expect(bytes).toBe(1_000 * piece.length);
});

test("SDK-20: a stream of bytes whose client leaves is ended", async () => {
  const ended = Promise.withResolvers<void>();
  const endless = async function* () {
    try {
      for (;;) yield piece;
    } finally {
      ended.resolve();
    }
  };
  const plugin = routing("/bytes", async () => ({ status: 200, stream: endless() }));
  await using gateway = await startGateway({ plugins: [memoryStore(), fakeProvider([]), plugin] });
  const leaving = httpRequest(`${gateway.url}/bytes`, { agent: false });
  leaving.on("error", () => {}).end();
  await once(leaving, "response");
  leaving.destroy();
  await expect(ended.promise).resolves.toBeUndefined();
});

test("SDK-20: a stream of bytes that throws breaks its connection off, and the log says why", async () => {
  const plugin = routing("/bytes", async () => ({ status: 200, stream: broken() }));
  await using gateway = await startGateway({ plugins: [memoryStore(), fakeProvider([]), plugin] });
  await expect(gateway.ask("/bytes")).rejects.toMatchObject({ code: "ECONNRESET" });
  expect(gateway.host.logs.map(({ message }) => message).join()).toContain("the disk went away");
});

test("SDK-20: a streamed turn is finished in the time that a stop leaves", async () => {
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const late = () => {
    onAsked();
    return { text: "late words", after: answered };
  };
  await using gateway = await startGateway({ plugins: [memoryStore(), fakeProvider([late])] });
  const { token } = await gateway.pair();
  const { text } = await read(gateway, "/api/chat", token, { message: "hi", stream: true });
  await asked;
  const stopped = stop(gateway);
  answer();
  expect(await text).toMatch(/event: done\ndata: \{"session_id".*"reply":"late words".*\}\n\n$/);
  await stopped;
});

test("GW-07: a browser whose page a stop cuts reads a sentence, and asks again", async () => {
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>();
  const handle: Route["handle"] = ({ signal }) => {
    onAsked();
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };
  const plugins = [memoryStore(), fakeProvider([]), routing("/page", handle)];
  await using gateway = await startGateway({ plugins });
  const page = gateway.ask("/page", { headers: { accept: "text/html,*/*;q=0.8" } });
  await asked;
  await stop(gateway, 50);
  expect(await page).toMatchObject({
    status: 503,
    text: "The gateway is stopping: try again in a few seconds.",
    headers: { refresh: "2", "content-type": "text/plain; charset=utf-8" },
  });
});
