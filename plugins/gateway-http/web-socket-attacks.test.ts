import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { startGateway, type TestGateway } from "./gateway.test-kit.ts";
import { echo, handshake, open, shake, startLive } from "./web-socket.test-kit.ts";

/** Waits until a number does not grow any more; returns it. */
async function settled(count: () => number): Promise<number> {
  let before = -1;
  await expect.poll(() => before === (before = count()), { interval: 100 }).toBe(true);
  return before;
}

/** Opens a connection that has made the handshake and says nothing of its own accord. */
async function raw(gateway: TestGateway): Promise<Socket> {
  const socket = connect(gateway.port, "127.0.0.1");
  const lines = Object.entries({ host: `127.0.0.1:${gateway.port}`, ...handshake });
  socket.write(`GET /live HTTP/1.1\r\n${lines.map((line) => `${line.join(": ")}\r\n`).join("")}\r\n`);
  await once(socket, "data");
  return socket;
}

test("SDK-20: a handshake behind a request on one connection opens nothing and holds nothing", async () => {
  await using gateway = await startLive(echo);
  const head = (lines: object) =>
    Object.entries({ host: `127.0.0.1:${gateway.port}`, ...lines })
      .map((line) => `${line.join(": ")}\r\n`)
      .join("");
  const socket = connect(gateway.port, "127.0.0.1");
  socket.write(`GET /plain HTTP/1.1\r\n${head({})}\r\nGET /live HTTP/1.1\r\n${head(handshake)}\r\n`);
  let said = "";
  socket.on("data", (piece) => (said += piece.toString()));
  await expect.poll(() => said).toContain("426");
  expect(said).toContain("plain words");
  socket.end();
  await once(socket, "close");
});

test("SDK-20: a client whose 10,000 frames nobody reads is held back, and none is lost", async () => {
  const { promise: now, resolve: go } = Promise.withResolvers<void>();
  await using gateway = await startLive(async (socket) => {
    await now;
    let [seen, inOrder] = [0, true];
    for await (const message of socket.messages) {
      inOrder &&= String(message).startsWith(`${seen} `);
      if (++seen === 10_000) await socket.send(`${seen} ${inOrder}`);
    }
  });
  const { ws, next } = await open(gateway);
  const filler = "x".repeat(4_000);
  for (let i = 0; i < 10_000; i += 1) ws.send(`${i} ${filler}`);
  expect(await settled(() => 40_000_000 - ws.bufferedAmount)).toBeLessThan(39_000_000);
  go();
  expect(await next()).toBe("10000 true");
});

test("SDK-20: a frame of 30 MB is refused by its head, before it is there", async () => {
  await using gateway = await startLive(echo);
  const socket = await raw(gateway);
  const head = Buffer.alloc(14);
  head.set([0x82, 0xff]);
  head.writeBigUInt64BE(30_000_000n, 2);
  const answer = once(socket, "data");
  socket.write(head);
  const [frame] = (await answer) as [Buffer];
  expect([frame[0], frame.readUInt16BE(2)]).toEqual([0x88, 1009]);
  socket.destroy();
});

test("SDK-20: a message of many fragments counts as one message", async () => {
  await using gateway = await startLive(echo);
  const { ws, closed } = await open(gateway);
  for (let i = 0; i < 100; i += 1) ws.send(Buffer.alloc(1_000), { fin: false });
  expect((await closed)[0]).toBe(1009);
});

test("SDK-20: a client that reads too slowly is closed with 1013, and what waits for it is bounded", async () => {
  const piece = "x".repeat(64 * 1024);
  let given = 0;
  const { promise: over, resolve } = Promise.withResolvers<void>();
  await using gateway = await startLive(async (socket, { signal }) => {
    signal.addEventListener("abort", () => resolve());
    for (; given < 2_000; given += 1) void socket.send(piece);
    await over;
  });
  const { ws, closed } = await open(gateway);
  let got = 0;
  ws.on("message", () => (got += 1));
  expect(await closed).toEqual([1013, "too slow"]);
  expect(given).toBe(2_000);
  expect(got).toBeLessThan(500);
  await over;
});

test("SDK-20: a route that awaits what it sends is held to the pace of its client", async () => {
  const piece = "x".repeat(64 * 1024);
  let given = 0;
  await using gateway = await startLive(async (socket) => {
    for (; given < 1_000; given += 1) await socket.send(piece);
  });
  const { ws, closed } = await open(gateway);
  ws.pause();
  expect(await settled(() => given)).toBeLessThan(500);
  let got = 0;
  ws.on("message", () => (got += 1));
  ws.resume();
  expect((await closed)[0]).toBe(1000);
  expect(got).toBe(1_000);
});

test("SDK-20: a client that sends pings and reads nothing does not fill the memory with pongs", async () => {
  await using gateway = await startLive(echo);
  const { ws, next } = await open(gateway);
  let pongs = 0;
  ws.on("pong", () => (pongs += 1));
  ws.pause();
  const data = Buffer.alloc(125);
  for (let batch = 0; batch < 200; batch += 1) {
    for (let i = 1; i < 1_000; i += 1) ws.ping(data);
    await new Promise((taken) => ws.ping(data, true, taken));
  }
  ws.send("over");
  ws.resume();
  expect(await next()).toBe("over");
  expect(pongs).toBeGreaterThan(0);
  expect(pongs).toBeLessThan(200_000);
});

test.each([
  ["unmasked", [0x81, 0x02, 0x68, 0x69], 1002],
  ["of a reserved kind", [0x83, 0x80, 0, 0, 0, 0], 1002],
  ["that says it is packed", [0xc1, 0x80, 0, 0, 0, 0], 1002],
  ["of text that is not UTF-8", [0x81, 0x81, 0, 0, 0, 0, 0xff], 1007],
])("SDK-20: a frame %s closes the WebSocket, and the gateway goes on", async (_, bytes, code) => {
  await using gateway = await startLive(echo);
  const socket = await raw(gateway);
  const answer = once(socket, "data");
  socket.write(Buffer.from(bytes));
  const [frame] = (await answer) as [Buffer];
  expect([frame[0], frame.readUInt16BE(2)]).toEqual([0x88, code]);
  socket.destroy();
  expect((await gateway.ask("/health")).status).toBe(200);
});

test("SDK-20: a client that leaves in the middle of its handshake costs nothing", async () => {
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>();
  const { promise: left, resolve: onLeft } = Promise.withResolvers<void>();
  await using gateway = await startLive(echo, {
    async handle({ signal }) {
      signal.addEventListener("abort", () => onLeft());
      onAsked();
      await left;
      return { status: 101, webSocket: async () => {} };
    },
  });
  const socket = connect(gateway.port, "127.0.0.1");
  const lines = Object.entries({ host: `127.0.0.1:${gateway.port}`, ...handshake });
  socket.write(`GET /live HTTP/1.1\r\n${lines.map((line) => `${line.join(": ")}\r\n`).join("")}\r\n`);
  await asked;
  socket.destroy();
  await left;
  expect((await gateway.ask("/health")).status).toBe(200);
});

test("SDK-20: one token holds 16 WebSockets; a further one is 429 until one is closed", async () => {
  await using gateway = await startLive(echo, { auth: "token", may: "read" });
  const token = (await gateway.word("pair token", ["p"], { may: "read" })).out.trim();
  const headers = { authorization: `Bearer ${token}` };
  const sockets = await Promise.all(
    Array.from({ length: 16 }, () => open(gateway, "/live", [], { headers })),
  );
  const [status, text] = await shake(gateway, "/live", { ...handshake, ...headers });
  expect([status, JSON.parse(text).error.code]).toEqual([429, "GATEWAY_SOCKETS"]);
  sockets[0]?.ws.close();
  await sockets[0]?.closed;
  const again = async () => (await shake(gateway, "/live", { ...handshake, ...headers }))[0];
  await expect.poll(again).toBe(101);
});

test("SDK-20: one address holds 64 WebSockets that need no token", async () => {
  await using gateway = await startLive(echo);
  for (let i = 0; i < 64; i += 1) await open(gateway);
  expect((await shake(gateway, "/live", handshake))[0]).toBe(429);
});

test("SDK-20: handshakes count against the limit of their route", async () => {
  await using gateway = await startLive(echo, { perMinute: 3 });
  const answers = [];
  for (let i = 0; i < 5; i += 1) answers.push((await shake(gateway, "/live", handshake))[0]);
  expect(answers).toEqual([101, 101, 101, 429, 429]);
});

test("SDK-20: a gateway without routes of plugins refuses a handshake like any other request", async () => {
  await using gateway = await startGateway();
  expect((await shake(gateway, "/api/chat", handshake))[0]).toBe(401);
});
