import { connect } from "node:net";
import { definePlugin, Routes } from "@gantry/sdk";
import { fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { rawBytes, startGateway } from "./gateway.test-kit.ts";

const own = definePlugin({
  name: "hook",
  provides: [Routes],
  setup: (host) =>
    host.provide(Routes, {
      name: "POST /hook",
      method: "POST",
      path: "/hook",
      auth: "own",
      summary: "",
      bodyLimit: 1024 * 1024,
      perMinute: Number.POSITIVE_INFINITY,
      handle: async ({ rawBody }) => ({ status: 200, body: { bytes: rawBody.length } }),
    }),
});
const plugins = [memoryStore(), fakeProvider(["hello"]), own];
const kib = 1024;

/** Returns a chat request of this many bytes. */
function padded(bytes: number): string {
  return JSON.stringify({ message: "x".repeat(bytes - JSON.stringify({ message: "" }).length) });
}

test("GW-04: a body may be 64 KiB and no more, or what its route says, and one that is too large is refused before it is read", async () => {
  await using gateway = await startGateway({ plugins });
  const { token } = await gateway.pair();
  expect((await gateway.ask("/api/chat", { body: padded(64 * kib), token })).status).toBe(200);
  const large = await gateway.ask("/api/chat", { body: padded(64 * kib + 1), token });
  expect([large.status, large.json.error.code]).toEqual([413, "GATEWAY_BODY_TOO_LARGE"]);
  expect((await gateway.ask("/hook", { body: "x".repeat(kib * kib) })).json).toEqual({ bytes: kib * kib });
  expect((await gateway.ask("/hook", { body: "x".repeat(kib * kib + 1) })).status).toBe(413);
  const announced = await rawBytes(
    gateway.port,
    `POST /hook HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 999999999999\r\n\r\n`,
  );
  expect(announced).toMatch(/^HTTP\/1\.1 413 /);
});

test("GW-04: a chunked body without an end is cut at the limit", async () => {
  await using gateway = await startGateway({ plugins });
  const head = "POST /hook HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
  const answer = await new Promise<string>((resolve) => {
    let text = "";
    const socket = connect(gateway.port, "127.0.0.1", () => socket.write(head));
    const more = (): boolean => socket.writable && socket.write(chunk, more);
    socket.once("connect", more).on("data", (piece) => (text += piece.toString()));
    socket.on("error", () => {}).on("close", () => resolve(text));
  });
  expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  expect((await gateway.ask("/health")).status).toBe(200);
});

test("GW-04: /api takes 60 requests a minute from a peer without a token, /pair 10, this machine included, other peers unharmed", async () => {
  await using gateway = await startGateway({ plugins });
  const from = "127.0.0.2";
  for (let i = 0; i < 60; i += 1) {
    const path = ["/api/approvals", "/api/nothing", "/api/openapi.json"][i % 3] as string;
    expect((await gateway.ask(path, { from })).status).not.toBe(429);
  }
  const limited = await gateway.ask("/api/approvals", { from });
  expect([limited.status, limited.json.error.code]).toEqual([429, "GATEWAY_RATE_LIMIT"]);
  expect(Number(limited.headers["retry-after"])).toBeGreaterThan(0);
  expect(Number(limited.headers["retry-after"])).toBeLessThanOrEqual(60);
  expect((await gateway.ask("/api/approvals", { from: "127.0.0.3" })).status).toBe(401);
  expect((await gateway.ask("/health", { from })).status).toBe(200);
  const pairs = [];
  for (let i = 0; i < 12; i += 1) pairs.push((await gateway.ask("/pair", { body: {}, from })).status);
  expect(pairs).toEqual([...Array.from({ length: 10 }, () => 400), 429, 429]);
});

test("FLR-34: requests with a good token count for it, and use up nobody else's minute", async () => {
  await using gateway = await startGateway({ plugins, gateway: { requests_per_minute: 3 } });
  const [one, other] = [await gateway.pair(), await gateway.pair()];
  const ask = async (token?: string, from = "127.0.0.2") => {
    const { status, json } = await gateway.ask("/api/approvals", { token, from });
    return json?.error?.code ?? status;
  };
  for (let i = 0; i < 30; i += 1) expect(await ask(one.token)).toBe(200);
  expect(await ask(one.token)).toBe("GATEWAY_RATE_LIMIT");
  expect(await ask(one.token, "127.0.0.3")).toBe("GATEWAY_RATE_LIMIT");
  expect(await ask(other.token)).toBe(200);
  const wrong = `${other.token.slice(0, -1)}${other.token.endsWith("a") ? "b" : "a"}`;
  for (const token of [wrong, undefined, "x"]) expect(await ask(token)).toBe("GATEWAY_UNAUTHORIZED");
  expect(await ask(wrong)).toBe("GATEWAY_RATE_LIMIT");
  expect(await ask(other.token)).toBe(200);
  const limited = await gateway.ask("/api/nothing", { token: one.token });
  expect(limited.json.error.message).toContain("with this token");
});

test("GW-04: a route without a limit takes what comes", async () => {
  await using gateway = await startGateway({ plugins });
  const all = await Promise.all(Array.from({ length: 150 }, () => gateway.ask("/hook", { body: "x" })));
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
});

test("GW-04: what is not HTTP gets 400, headers without end 431, and the connection is closed", async () => {
  await using gateway = await startGateway({ plugins });
  const table: [string, number][] = [
    ["hello\r\n\r\n", 400],
    ["GET /health HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n", 400],
    ["GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nbad header\r\n\r\n", 400],
    [
      "POST /pair HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
    ["POST /pair HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}", 400],
    [`GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nx: ${"y".repeat(20_000)}\r\n\r\n`, 431],
    [`GET /${"y".repeat(20_000)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`, 431],
  ];
  for (const [bytes, status] of table) {
    const answer = await rawBytes(gateway.port, bytes);
    expect([bytes.slice(0, 60), answer.slice(0, 12)]).toEqual([bytes.slice(0, 60), `HTTP/1.1 ${status}`]);
    expect(answer).toContain("Connection: close");
  }
  expect((await gateway.ask("/health")).status).toBe(200);
});

test("GW-01: what Node would answer by itself is answered like everything else, after the same checks", async () => {
  await using gateway = await startGateway({ plugins });
  const end = "Connection: close\r\n\r\n";
  const expecting = (host: string, path: string) =>
    rawBytes(gateway.port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nExpect: the-unexpected\r\n${end}`);
  expect(await rawBytes(gateway.port, `GET /health HTTP/1.1\r\n${end}`)).toMatch(
    /^HTTP\/1\.1 400 [^]*"code":"GATEWAY_BAD_REQUEST"/,
  );
  expect(await expecting("evil.example", "/health")).toMatch(
    /^HTTP\/1\.1 403 [^]*"code":"GATEWAY_FOREIGN_HOST"/,
  );
  expect(await expecting("127.0.0.1", "/api/approvals")).toMatch(
    /^HTTP\/1\.1 401 [^]*"code":"GATEWAY_UNAUTHORIZED"/,
  );
  expect(await expecting("127.0.0.1", "/health")).toMatch(/^HTTP\/1\.1 200 [^]*"status":"ok"/);
});

test("GW-01: a body that is no JSON, of another type, or of another shape is refused with where it is wrong", async () => {
  await using gateway = await startGateway({ plugins });
  const { token } = await gateway.pair();
  const table: [string | Buffer, string, number, string][] = [
    ["{", "application/json", 400, "GATEWAY_BAD_BODY"],
    ["", "application/json", 400, "GATEWAY_BAD_BODY"],
    [Buffer.from([0x22, 0xff, 0xfe, 0x22]), "application/json", 400, "GATEWAY_BAD_BODY"],
    ["[".repeat(60_000), "application/json", 400, "GATEWAY_BAD_BODY"],
    ["null", "application/json", 400, "GATEWAY_BAD_BODY"],
    [JSON.stringify({ message: 5 }), "application/json", 400, "GATEWAY_BAD_BODY"],
    [JSON.stringify({ message: "" }), "application/json", 400, "GATEWAY_BAD_BODY"],
    [JSON.stringify({ message: "x", session_id: "../../etc" }), "application/json", 400, "GATEWAY_BAD_BODY"],
    [JSON.stringify({ message: "x", stream: "yes" }), "application/json", 400, "GATEWAY_BAD_BODY"],
    [JSON.stringify({ message: "x" }), "text/plain", 415, "GATEWAY_BODY_TYPE"],
    [JSON.stringify({ message: "x" }), "application/x-www-form-urlencoded", 415, "GATEWAY_BODY_TYPE"],
    [JSON.stringify({ message: "x" }), "///", 415, "GATEWAY_BODY_TYPE"],
    [JSON.stringify({ message: "x" }), "application/json; charset=utf-8", 200, "none"],
    [JSON.stringify({ message: "x", constructor: 2 }), "application/json", 400, "GATEWAY_BAD_BODY"],
  ];
  for (const [body, type, status, code] of table) {
    const answer = await gateway.ask("/api/chat", { body, token, headers: { "content-type": type } });
    expect([String(body).slice(0, 40), type, answer.status, answer.json.error?.code ?? "none"]).toEqual([
      String(body).slice(0, 40),
      type,
      status,
      code,
    ]);
  }
  const said = async (path: string, body: object): Promise<string> =>
    (await gateway.ask(path, { body, token })).json.error.message;
  expect(await said("/api/chat", { message: 5 })).toBe("The body is wrong: `message` must be string.");
  expect(await said("/api/chat", {})).toBe("The body is wrong: it misses `message`.");
  expect(await said("/api/chat", { message: "x", sesion_id: "a", strem: true })).toBe(
    "The body is wrong: it knows no `sesion_id`, `strem`, only `message`, `session_id`, `stream`.",
  );
  expect(await said("/api/approvals/abc", { decision: "yes" })).toBe(
    "The body is wrong: `decision` must be `allow` or `always` or `deny`.",
  );
});
