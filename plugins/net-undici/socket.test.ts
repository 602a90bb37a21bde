import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { proxyTo, serve } from "./loopback.test-kit.ts";
import { createUpstream } from "./upstream.ts";

const { signal } = new AbortController();

/** Echoes; `cut` drops the connection, `bye` closes it. */
async function echoServer(ends: number[] = []) {
  const http = await serve((_, response) => response.writeHead(404).end());
  const sockets = new WebSocketServer({ server: http.server });
  sockets.on("connection", (ws, request) => {
    ws.send(`hello ${request.headers.authorization}`);
    ws.on("close", (code) => ends.push(code));
    ws.on("message", (data) => {
      if (String(data) === "bye") ws.close(1000);
      else if (String(data) === "cut") ws.terminate();
      else if (String(data) === "away") ws.close(4014, "not that way");
      else ws.send(String(data));
    });
  });
  return http;
}

async function read(messages: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const message of messages) all.push(message);
  return all;
}

test("PRV-09: a WebSocket loses no frame, not even one that comes with the handshake, and ends with the other side", async () => {
  await using server = await echoServer();
  const socket = await createUpstream({}).webSocket(server.url, { authorization: "Bearer k" }, signal);
  for (let i = 0; i < 1_000; i++) socket.send(String(i));
  socket.send("bye");
  expect(await read(socket.messages)).toEqual([
    "hello Bearer k",
    ...Array.from({ length: 1_000 }, (_, i) => String(i)),
  ]);
});

test("FLR-02: a WebSocket asks for no compression, which this process would have to unpack", async () => {
  const sockets = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: true });
  await once(sockets, "listening");
  const connected = once(sockets, "connection");
  const { port } = sockets.address() as AddressInfo;
  const socket = await createUpstream({}).webSocket(`ws://127.0.0.1:${port}`, {}, signal);
  const [, request] = (await connected) as [unknown, IncomingMessage];
  expect(request.headers["sec-websocket-extensions"]).toBeUndefined();
  socket.close();
  await socket.closed;
  sockets.close();
});

test("SL-08: a WebSocket tells of the other side's pings, and answers them by itself", async () => {
  const sockets = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(sockets, "listening");
  const answered = new Promise<void>((resolve) => {
    sockets.on("connection", (ws) => {
      ws.once("pong", () => (resolve(), ws.close()));
      ws.once("message", () => ws.ping());
    });
  });
  const { port } = sockets.address() as AddressInfo;
  const socket = await createUpstream({}).webSocket(`ws://127.0.0.1:${port}`, {}, signal);
  let told = 0;
  socket.onPing(() => (told += 1));
  socket.send("go");
  await answered;
  expect([await read(socket.messages), told]).toEqual([[], 1]);
  sockets.close();
});

test("PRV-09: a WebSocket that breaks off, is refused or cancelled throws its code", async () => {
  await using server = await echoServer();
  await using plain = await serve((_, response) => response.writeHead(401).end());
  const upstream = createUpstream({});
  const cut = await upstream.webSocket(server.url, {}, signal);
  cut.send("cut");
  await expect(read(cut.messages)).rejects.toMatchObject({ code: "NET_REFUSED" });
  const abort = new AbortController();
  const cancelled = await upstream.webSocket(server.url, {}, abort.signal);
  const reading = read(cancelled.messages);
  abort.abort();
  await expect(reading).rejects.toMatchObject({ code: "NET_CANCELLED" });
  await expect(upstream.webSocket(`${plain.url}/?key=s3cret`, {}, signal)).rejects.toMatchObject({
    code: "NET_REFUSED",
    message: expect.stringMatching(/^(?!.*s3cret).*HTTP 401/),
  });
  await expect(upstream.webSocket("ws://127.0.0.1:1/", {}, signal)).rejects.toMatchObject({
    code: "NET_REFUSED",
  });
  await expect(upstream.webSocket("ftp://127.0.0.1/", {}, signal)).rejects.toMatchObject({
    code: "NET_BAD_URL",
  });
});

test("DC-06: PRV-09: a WebSocket tells how it ended, and ends with the code that is asked for", async () => {
  const ends: number[] = [];
  await using server = await echoServer(ends);
  const upstream = createUpstream({});
  const socket = await upstream.webSocket(server.url, {}, signal);
  socket.send("away");
  await expect(read(socket.messages)).rejects.toMatchObject({
    message: expect.stringContaining("(4014)"),
  });
  expect(await socket.closed).toEqual({ code: 4014, reason: "not that way" });
  const own = await upstream.webSocket(server.url, {}, signal);
  own.close(4000);
  await own.closed;
  expect(ends).toEqual([4014, 4000]);
});

test("PRV-14: a WebSocket goes through HTTP_PROXY with CONNECT, and around it with NO_PROXY", async () => {
  await using server = await echoServer();
  await using proxy = await proxyTo(server.port);
  const env = { HTTP_PROXY: `http://me:pw@127.0.0.1:${proxy.port}` };
  const through = await createUpstream(env).webSocket("ws://models.test/responses", {}, signal);
  through.send("bye");
  expect(await read(through.messages)).toEqual(["hello undefined"]);
  expect(proxy.seen).toEqual([
    { line: "CONNECT models.test:80", auth: `Basic ${Buffer.from("me:pw").toString("base64")}` },
  ]);
  const around = await createUpstream({ ...env, NO_PROXY: "127.0.0.1" }).webSocket(server.url, {}, signal);
  around.send("bye");
  await read(around.messages);
  expect(proxy.seen).toHaveLength(1);
});

test("PRV-14: a proxy that refuses the tunnel is named as the reason", async () => {
  await using proxy = await proxyTo(1, 407);
  const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
  await expect(createUpstream(env).webSocket("wss://models.test/", {}, signal)).rejects.toMatchObject({
    code: "NET_REFUSED",
    message: expect.stringContaining("HTTP 407"),
  });
});
