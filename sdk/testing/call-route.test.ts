import { Type } from "typebox";
import { expect, test } from "vitest";
import { lacking, type SocketEnd } from "../fill.ts";
import type { Route, RouteSocket, Scope } from "../index.ts";
import { callRoute } from "./call-route.ts";
import { openRoute } from "./open-route.ts";

const route = (bodySchema: Route["bodySchema"]): Route => ({
  name: "POST /x",
  method: "POST",
  path: "/x",
  auth: "none",
  summary: "",
  ...(bodySchema && { bodySchema }),
  handle: async ({ body }) => ({ status: 200, body: { body } }),
});
const days = Type.Object({ add: Type.Number(), unit: Type.Union([Type.Literal("h"), Type.Literal("d")]) });

test("SDK-12: the route test kit refuses what a gateway refuses, in its words", async () => {
  const said = async (body: unknown) =>
    (await callRoute(route(days), { body })).json().error?.message as unknown;
  expect(await said({ add: 1, unit: "h" })).toBeUndefined();
  expect(await said({ unit: "h" })).toBe("The body is wrong: it misses `add`.");
  expect(await said({ add: 1, unit: "y" })).toBe("The body is wrong: `unit` must be `h` or `d`.");
  expect(await said({ add: 1, unit: "h", ad: 2 })).toBe(
    "The body is wrong: it knows no `ad`, only `add`, `unit`.",
  );
  const open = Type.Object({ add: Type.Number() }, { additionalProperties: true });
  expect((await callRoute(route(open), { body: { add: 1, more: 2 } })).status).toBe(200);
});

/** Level 2 let a route ask for a token and state no scope. */
const scoped = (auth: Route["auth"], may?: Scope): Route => {
  const { name, method, path, summary, handle } = route(days);
  return { name, method, path, auth, summary, handle, ...(may && { may }) } as Route;
};

test.each<[string, Route, readonly Scope[] | undefined, number]>([
  ["a route of no scope by talk", scoped("token"), ["talk"], 403],
  ["a route of no scope by manage", scoped("token"), ["manage"], 200],
  ["a route of no scope by a device that may all", scoped("token"), undefined, 200],
  ["a route of talk by talk", scoped("token", "talk"), ["talk"], 200],
  ["a route of talk by manage", scoped("token", "talk"), ["manage"], 403],
  ["a route without a token by talk", scoped("none"), ["talk"], 200],
])("SDK-12: the route test kit answers %s as a gateway would", async (_, asked, may, status) => {
  const answer = await callRoute(asked, { device: "phone", ...(may && { may }) });
  expect(answer.status).toBe(status);
  const { code } = lacking(asked.may ?? "manage", { device: "phone", may: may ?? [] });
  expect(answer.text.includes(code)).toBe(status === 403);
});

/** Answers with what the request brings, and waits for `left` to say why it ended. */
const telling = (): Route => ({
  ...route(undefined),
  async handle({ id, traceparent, signal, left }) {
    if (signal.aborted && left && !left.aborted)
      await new Promise((resolve) => left.addEventListener("abort", resolve));
    return { status: 200, body: { id, traceparent, signal: signal.aborted, left: left?.aborted } };
  },
});
const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;

test("SDK-18: the route test kit hands on a request's id and traceparent, and answers with both", async () => {
  const headers = { "x-request-id": "mine", traceparent };
  const answer = await callRoute(telling(), { headers });
  expect(answer.json()).toMatchObject({ id: "mine", traceparent });
  expect(answer.headers).toMatchObject({ "x-request-id": "mine", traceparent });
});

test("SDK-18: the route test kit takes for a traceparent what is exactly one", async () => {
  const answer = await callRoute(telling(), { headers: { traceparent: `${traceparent}, x` } });
  expect([answer.json().traceparent, answer.headers["traceparent"]]).toEqual([undefined, undefined]);
  expect(answer.headers["x-request-id"]).toBe("req-test");
});

test("SDK-20: the route test kit ends a request's signal and what is left of its time apart", async () => {
  const [stopping, over] = [new AbortController(), new AbortController()];
  stopping.abort();
  const answer = callRoute(telling(), { signal: stopping.signal, left: over.signal });
  over.abort();
  expect((await answer).json()).toMatchObject({ signal: true, left: true });
});

test("SDK-20: a peer that leaves ends both signals of a request in the route test kit", async () => {
  const answer = await callRoute(telling(), { signal: AbortSignal.abort() });
  expect(answer.json()).toMatchObject({ signal: true, left: true });
});

const live = (webSocket: (socket: RouteSocket) => Promise<SocketEnd | void>): Route => ({
  ...scoped("token", "read"),
  method: "GET",
  handle: async () => ({ status: 101, webSocket }),
});

test("SDK-12: the route test kit opens a WebSocket, and hears its messages and its end", async () => {
  const counting = live(async ({ messages, send }) => {
    let bytes = 0;
    for await (const message of messages) await send(`${(bytes += message.length)}`);
    return { code: 4_000, reason: `${bytes} bytes` };
  });
  const { send, next, close, closed } = await openRoute(counting);
  send("abc");
  send(new Uint8Array(4));
  expect([await next(), await next()]).toEqual(["3", "7"]);
  close();
  expect(await closed).toEqual({ code: 4_000, reason: "7 bytes" });
  expect(await next()).toBeUndefined();
});

test("SDK-12: the route test kit refuses a WebSocket as a gateway does, and tells what its route threw", async () => {
  const broken = live(async () => {
    throw new Error("no place");
  });
  await expect(openRoute(broken, { may: ["talk"] })).rejects.toThrow("answers 403 instead of a WebSocket");
  await expect((await openRoute(broken)).closed).rejects.toThrow("no place");
  await expect(openRoute(route(days), { body: {} })).rejects.toThrow("answers 400 instead of a WebSocket");
  expect((await callRoute(broken)).status).toBe(426);
});
