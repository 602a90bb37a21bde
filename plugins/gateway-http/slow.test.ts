import { connect, type Socket } from "node:net";
import { memoryStore, fakeProvider } from "@gantry/sdk/testing";
import { beforeEach, expect, test, vi } from "vitest";
import { startGateway } from "./gateway.test-kit.ts";

/**
 * Time for a request to arrive: a little for tests of slow ones, enough for a loaded machine for
 * tests of quick ones.
 */
const times = vi.hoisted(() => ({ littleMs: 2_000, enoughMs: 45_000, arrivalMs: 0 }));
vi.mock("./timeouts.ts", () => ({
  get arrivalMs() {
    return times.arrivalMs;
  },
  keepAliveMs: 30_000,
  heartbeatMs: 15_000,
  lastMs: 500,
}));
vi.mock("./connections.ts", async (original) => ({ ...(await original()), maxConnections: () => 20 }));

beforeEach(() => void (times.arrivalMs = times.littleMs));

/** Sends a byte now and then until the server has enough. Returns the answer. */
function drip(port: number, start: string, piece: string): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    let timer: NodeJS.Timeout | undefined;
    const socket: Socket = connect(port, "127.0.0.1", () => {
      socket.write(start);
      timer = setInterval(() => piece && socket.writable && socket.write(piece), 50);
    });
    socket.on("data", (data) => (text += data.toString())).on("error", () => {});
    socket.on("close", () => {
      clearInterval(timer);
      resolve(text);
    });
  });
}

test("GW-04: headers and bodies that do not arrive in time get 408 and the connection is closed, while others are served", async () => {
  await using gateway = await startGateway({ plugins: [memoryStore(), fakeProvider(["hello"])] });
  const slow = [
    drip(gateway.port, "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n", "x-a: b\r\n"),
    drip(
      gateway.port,
      "POST /pair HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n",
      "{",
    ),
    drip(
      gateway.port,
      "POST /pair HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n",
      "1\r\n{\r\n",
    ),
    drip(gateway.port, "G", ""),
    drip(gateway.port, "", ""),
  ];
  expect((await gateway.ask("/health")).status).toBe(200);
  for (const text of await Promise.all(slow))
    expect(text).toMatch(/^HTTP\/1\.1 408 [^]*"code":"GATEWAY_TIMEOUT"/);
});

test("GW-04: connections are bounded: beyond the bound they are dropped, and served again once there is room", async () => {
  await using gateway = await startGateway({ plugins: [memoryStore(), fakeProvider(["hello"])] });
  const held = Array.from({ length: 20 }, () => drip(gateway.port, "GET /health HTTP/1.1\r\n", "x: y\r\n"));
  await expect
    .poll(() => gateway.ask("/health").then(String, (error: NodeJS.ErrnoException) => error.code))
    .toMatch(/ECONNRESET|EPIPE/);
  await Promise.all(held);
  expect((await gateway.ask("/health")).status).toBe(200);
});

test("GW-04: a hundred flooding and never-ending clients do not keep one honest client from its answer", async () => {
  times.arrivalMs = times.enoughMs;
  await using gateway = await startGateway({ plugins: [memoryStore(), fakeProvider(["hello"])] });
  const { token } = await gateway.pair();
  const flood = Array.from({ length: 100 }, () =>
    gateway.ask("/api/nothing", { from: "127.0.0.66" }).catch(() => undefined),
  );
  for (let client = 0; client < 5; client += 1)
    void drip(
      gateway.port,
      "POST /pair HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n",
      "1\r\n{\r\n",
    );
  await Promise.all(flood);
  const honest = await gateway.ask("/api/chat", { token, body: { message: "hi" }, from: "127.0.0.67" });
  expect([honest.status, honest.json.reply]).toEqual([200, "hello"]);
});
