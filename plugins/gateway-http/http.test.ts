import { connect, type Socket } from "node:net";
import { definePlugin, defineTool, Routes, Tools, type Plugin } from "@gantry/sdk";
import { fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test } from "vitest";
import { rawBytes, startGateway } from "./gateway.test-kit.ts";

const end = "Connection: close\r\n\r\n";

test("OPS-05: a target in absolute form is taken, and its name counts, not the Host header's", async () => {
  await using gateway = await startGateway();
  const { port } = gateway;
  const ask = (target: string, host: string) =>
    rawBytes(port, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${end}`);
  for (const target of ["/health", "/health?x=1"])
    expect(await ask(`http://127.0.0.1:${port}${target}`, "evil.example")).toMatch(/^HTTP\/1\.1 200 /);
  expect(await ask("http://evil.example/health", "127.0.0.1")).toMatch(
    /^HTTP\/1\.1 403 [^]*GATEWAY_FOREIGN_HOST/,
  );
  expect(await ask("http://me@127.0.0.1/health", "127.0.0.1")).toMatch(/^HTTP\/1\.1 403 /);
  expect(await ask("http://127.0.0.1", "127.0.0.1")).toMatch(/^HTTP\/1\.1 401 /);
  expect(await ask("ftp://127.0.0.1/health", "127.0.0.1")).toMatch(/^HTTP\/1\.1 400 /);
});

test("OPS-05: OPTIONS * is answered with the methods, to our names only", async () => {
  await using gateway = await startGateway();
  const ask = (host: string) => rawBytes(gateway.port, `OPTIONS * HTTP/1.1\r\nHost: ${host}\r\n${end}`);
  expect(await ask("127.0.0.1")).toMatch(/^HTTP\/1\.1 204 [^]*\r\nallow: DELETE, GET, HEAD, POST\r\n/);
  expect(await ask("evil.example")).toMatch(/^HTTP\/1\.1 403 /);
  expect(await rawBytes(gateway.port, `GET * HTTP/1.1\r\nHost: 127.0.0.1\r\n${end}`)).toMatch(
    /^HTTP\/1\.1 400 /,
  );
});

test("OPS-05: a body in an encoding or a transfer coding that is not known is refused, and so is another charset", async () => {
  await using gateway = await startGateway();
  const { token } = await gateway.pair();
  const post = (headers: Readonly<Record<string, string>>) =>
    gateway.ask("/api/chat", { token, body: { message: "hi" }, headers });
  for (const encoding of ["gzip", "br", "identity, gzip"]) {
    const { status, json, headers } = await post({ "content-encoding": encoding });
    expect([encoding, status, json.error.code, headers["accept-encoding"]]).toEqual([
      encoding,
      415,
      "GATEWAY_BODY_ENCODING",
      "identity",
    ]);
  }
  expect((await post({ "content-type": "application/json; charset=latin1" })).status).toBe(415);
  expect((await post({ "content-type": 'application/json; charset="UTF-8"' })).status).toBe(200);
  const coded = `POST /pair HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`;
  expect(await rawBytes(gateway.port, coded)).toMatch(
    /^HTTP\/1\.1 501 [^]*connection: close[^]*GATEWAY_TRANSFER/i,
  );
});

test("OPS-05: bytes behind a request that closes the connection do not change its answer", async () => {
  await using gateway = await startGateway();
  for (const behind of ["garbage", "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "\r\n\r\n"]) {
    const text = await rawBytes(gateway.port, `GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n${end}${behind}`);
    expect([behind, text.match(/HTTP\/1\.1 \d+/g)]).toEqual([behind, ["HTTP/1.1 200"]]);
    expect(text).toContain('"status":"ok"');
  }
});

/** Returns all that comes back for these bytes, until the server closes. */
function expecting(port: number, head: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(head));
    socket.setEncoding("utf8").on("data", (piece: string) => {
      if (text === "" && piece.startsWith("HTTP/1.1 100")) socket.write(body);
      text += piece;
    });
    socket.on("error", reject).on("close", () => resolve(text));
  });
}

function head(length: number, more: string): string {
  const own = "Host: 127.0.0.1\r\nExpect: 100-continue\r\nContent-Type: application/json";
  return `POST /api/chat HTTP/1.1\r\n${own}\r\nContent-Length: ${length}\r\n${more}\r\n`;
}

test("OPS-05: 100 Continue is sent once the body is wanted, and not before the token, the size and the encoding were looked at", async () => {
  await using gateway = await startGateway();
  const { token } = await gateway.pair();
  const body = JSON.stringify({ message: "hi" });
  const bearer = `Authorization: Bearer ${token}\r\n`;
  const ask = (length: number, more: string) => expecting(gateway.port, head(length, more), body);
  expect(await ask(body.length, "")).toMatch(/^HTTP\/1\.1 401 [^]*connection: close/i);
  expect(await ask(1_000_000, bearer)).toMatch(/^HTTP\/1\.1 413 /);
  expect(await ask(body.length, `${bearer}Content-Encoding: gzip\r\n`)).toMatch(/^HTTP\/1\.1 415 /);
  expect(await ask(body.length, `${bearer}Connection: close\r\n`)).toMatch(
    /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /,
  );
});

function held(port: number, from: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress: from });
    socket.on("connect", () => resolve(socket)).on("error", reject);
  });
}

/** Returns the number of these that the server has closed. */
function closed(sockets: readonly Socket[]): () => number {
  for (const socket of sockets) socket.resume();
  return () => sockets.filter(({ destroyed }) => destroyed).length;
}

test("OPS-05: one address holds 32 connections without a request in hand, those of a trusted proxy are not counted", async () => {
  await using gateway = await startGateway({ gateway: { trusted_proxies: ["127.0.0.3"] } });
  const many = (from: string) => Promise.all(Array.from({ length: 40 }, () => held(gateway.port, from)));
  const [strangers, proxied] = [await many("127.0.0.2"), await many("127.0.0.3")];
  const [gone, goneOfProxy] = [closed(strangers), closed(proxied)];
  await expect.poll(gone).toBe(8);
  expect(gateway.host.logs.some(({ message }) => message.includes("came from 127.0.0.2"))).toBe(true);
  expect((await gateway.ask("/health")).status).toBe(200);
  expect((await gateway.ask("/health", { from: "127.0.0.2" })).status).toBe(200);
  expect(goneOfProxy()).toBe(0);
  for (const socket of [...strangers, ...proxied]) socket.destroy();
});

test("OPS-05: a hundred requests at once of one address are all answered", async () => {
  await using gateway = await startGateway();
  const all = await Promise.all(Array.from({ length: 100 }, () => gateway.ask("/health")));
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
});

test("OPS-05: no address takes more than half of the connections there are", async () => {
  await using gateway = await startGateway();
  const { maxConnections } = await import("./connections.ts");
  const more = Array.from({ length: Math.floor(maxConnections() / 2) + 10 }, () =>
    held(gateway.port, "127.0.0.2"),
  );
  const sockets = await Promise.all(more);
  await expect.poll(closed(sockets)).toBeGreaterThanOrEqual(10);
  expect((await gateway.ask("/health")).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});

/** A route that tells the id of its request, and a tool that logs. */
const noting: Plugin = definePlugin({
  name: "noting",
  provides: [Routes, Tools],
  setup(host) {
    host.provide(Routes, {
      name: "GET /noted",
      method: "GET",
      path: "/noted",
      auth: "none",
      summary: "Notes.",
      handle: async ({ id }) => ({ status: 200, body: id }),
    });
    const run = async (): Promise<string> => {
      host.log.warn({}, "Noted.");
      return "ok";
    };
    host.provide(Tools, defineTool({ name: "note", description: "Notes.", input: Type.Object({}), run }));
  },
});

test("OPS-01: a request id is taken where it is a plain one, else made, and answered, also where there is nothing", async () => {
  await using gateway = await startGateway({ plugins: [memoryStore(), fakeProvider(["hi"]), noting] });
  const given = await gateway.ask("/noted", { headers: { "x-request-id": "abc-1.2:3" } });
  expect([given.headers["x-request-id"], given.json]).toEqual(["abc-1.2:3", "abc-1.2:3"]);
  for (const odd of ["", "a b", "x".repeat(65), 'a"b']) {
    const { headers, json } = await gateway.ask("/noted", { headers: { "x-request-id": odd } });
    expect([odd, json]).toEqual([odd, expect.stringMatching(/^[0-9a-f]{16}$/)]);
    expect(headers["x-request-id"]).toBe(json);
  }
  expect((await gateway.ask("/nothing")).headers["x-request-id"]).toMatch(/^[0-9a-f]{16}$/);
});

test("OPS-01: a request id goes through the turn to the log lines of its tools, with a short name for the conversation", async () => {
  const model = fakeProvider([{ calls: [{ name: "note", args: {} }] }, "done"]);
  await using gateway = await startGateway({ plugins: [memoryStore(), model, noting] });
  const { token } = await gateway.pair();
  const headers = { "x-request-id": "the-request" };
  const body = { message: "note it", session_id: "s1" };
  expect((await gateway.ask("/api/chat", { token, body, headers })).json).toMatchObject({ reply: "done" });
  expect(gateway.host.logs.find(({ message }) => message === "Noted.")?.detail).toEqual({
    plugin: "noting",
    trace: "the-request",
    conversation: expect.stringMatching(/^[0-9a-f]{8}$/) as string,
    traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/) as string,
  });
});

test("SDK-18: a traceparent of a request goes through the turn and stands in the reply, unless it is not exactly one", async () => {
  const model = fakeProvider([{ calls: [{ name: "note", args: {} }] }, "done"]);
  await using gateway = await startGateway({ plugins: [memoryStore(), model, noting] });
  const { token } = await gateway.pair();
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const ask = (value: string | readonly string[]) =>
    gateway.ask("/api/chat", { token, body: { message: "note it" }, headers: { traceparent: value } });
  expect((await ask(traceparent)).headers["traceparent"]).toBe(traceparent);
  const noted = gateway.host.logs.find(({ message }) => message === "Noted.")?.detail["traceparent"];
  expect(noted).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-(?!b7ad6b7169203331)[0-9a-f]{16}-01$/);
  for (const wrong of ["none", [traceparent, traceparent], traceparent.toUpperCase()])
    expect((await ask(wrong)).headers["traceparent"]).toBeUndefined();
});
