import { execFile } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { promisify } from "node:util";
import {
  definePlugin,
  directMessage,
  defineTool,
  Inbox,
  Routes,
  Services,
  Tools,
  type Route,
} from "@gantry/sdk";
import { fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { afterEach, expect, test, vi } from "vitest";
import { startGateway, type TestGateway } from "./gateway.test-kit.ts";
import { echo, handshake, open, shake, startLive, type Work } from "./web-socket.test-kit.ts";

afterEach(() => void vi.useRealTimers());

const stop = (gateway: TestGateway, ms: number = 60_000): Promise<void> | undefined =>
  gateway.host.slot(Services).get("gateway")?.stop(AbortSignal.timeout(ms));
const tokenFor = async (gateway: TestGateway, may: string): Promise<string> =>
  (await gateway.word("pair token", [may], { may })).out.trim();
const locked: Partial<Route> = { auth: "token", may: "read" };

test("SDK-20: a route may be a WebSocket, with text and bytes in both directions", async () => {
  await using gateway = await startLive(async (socket) => {
    const kinds: string[] = [];
    for await (const message of socket.messages) {
      kinds.push(typeof message === "string" ? message : `bytes ${message.join(",")}`);
      await socket.send(message);
      if (kinds.length === 2) break;
    }
    return { code: 4_001, reason: kinds.join("; ") };
  });
  const { ws, next, closed } = await open(gateway);
  ws.send("wörd");
  expect(await next()).toBe("wörd");
  ws.send(new Uint8Array([1, 2]));
  expect(await next()).toBe("\u0001\u0002");
  expect(await closed).toEqual([4_001, "wörd; bytes 1,2"]);
});

test("SDK-20: a WebSocket's signal ends when its client leaves, and its messages end", async () => {
  const { promise: over, resolve } = Promise.withResolvers<string>();
  await using gateway = await startLive(async ({ messages }, { signal }) => {
    const seen: unknown[] = [];
    for await (const message of messages) seen.push(message);
    if (!signal.aborted) await once(signal, "abort");
    resolve(seen.join());
  });
  const { ws } = await open(gateway);
  ws.send("one");
  ws.send("two");
  ws.terminate();
  expect(await over).toBe("one,two");
});

test.each<[string, (token: string) => [string[], object], string]>([
  ["in the header", (token) => [[], { headers: { authorization: `Bearer ${token}` } }], ""],
  ["in a subprotocol", (token) => [["gantry", `gantry.bearer.${token}`], {}], "gantry"],
])("SDK-20: the token of a WebSocket is read %s, and never said again", async (_, how, told) => {
  await using gateway = await startLive(echo, locked);
  const [protocols, options] = how(await tokenFor(gateway, "read"));
  const { ws, next } = await open(gateway, "/live", protocols, options);
  ws.send("in");
  expect(await next()).toBe("in");
  expect(ws.protocol).toBe(told);
});

test.each<[string, string, (token: string) => Record<string, string>, string]>([
  ["without a token", "/live", () => ({}), "GATEWAY_UNAUTHORIZED"],
  ["with the token in the query", "/live?token=TOKEN&access_token=TOKEN", () => ({}), "GATEWAY_UNAUTHORIZED"],
  [
    "with two tokens in subprotocols",
    "/live",
    (token) => ({ "sec-websocket-protocol": `gantry.bearer.${token}, gantry.bearer.${token}x` }),
    "GATEWAY_UNAUTHORIZED",
  ],
  [
    "with a wrong token in the header and a right one in a subprotocol",
    "/live",
    (token) => ({ authorization: "Bearer gt_no", "sec-websocket-protocol": `gantry.bearer.${token}` }),
    "GATEWAY_UNAUTHORIZED",
  ],
  [
    "from a page of another origin",
    "/live",
    (token) => ({
      origin: "http://evil.example",
      "sec-websocket-protocol": `gantry, gantry.bearer.${token}`,
    }),
    "GATEWAY_FOREIGN_ORIGIN",
  ],
  [
    "under a foreign name",
    "/live",
    (token) => ({ host: "evil.example", authorization: `Bearer ${token}` }),
    "GATEWAY_FOREIGN_HOST",
  ],
  [
    "by a proxy that nobody named",
    "/live",
    (token) => ({ "x-forwarded-for": "1.2.3.4", authorization: `Bearer ${token}` }),
    "GATEWAY_UNTRUSTED_PROXY",
  ],
])("SDK-20: a handshake %s is refused and its route not asked", async (_, path, headers, code) => {
  const work = vi.fn<Work>(echo);
  await using gateway = await startLive(work, locked);
  const token = await tokenFor(gateway, "read");
  const [status, text] = await shake(gateway, path.replaceAll("TOKEN", token), {
    ...handshake,
    ...headers(token),
  });
  expect([status >= 400, JSON.parse(text).error.code]).toEqual([true, code]);
  expect(work).not.toHaveBeenCalled();
});

test("SDK-20: a refused handshake stands in the audit log as a refused request does", async () => {
  await using gateway = await startLive(echo, locked);
  await shake(gateway, "/live", handshake);
  const headers = { ...handshake, authorization: `Bearer ${await tokenFor(gateway, "talk")}` };
  const [status] = await shake(gateway, "/live", headers);
  expect(status).toBe(403);
  const refused = gateway.host.audit.filter(({ event_type }) => event_type === "auth_failure");
  expect(refused.map(({ result }) => result)).toEqual([
    "refused: no token",
    "refused: the scope read is missing",
  ]);
  expect(refused[0]?.args).toMatchObject({ method: "GET", path: "/live" });
});

test("SDK-20: a request that is no handshake is told to make one", async () => {
  await using gateway = await startLive(echo);
  const { status, headers, json } = await gateway.ask("/live");
  expect([status, json.error.code, headers.upgrade]).toEqual([426, "GATEWAY_UPGRADE", "websocket"]);
});

test("SDK-20: a handshake at a route that is no WebSocket is answered by the route", async () => {
  await using gateway = await startLive(echo);
  expect((await shake(gateway, "/plain", handshake)).slice(0, 2)).toEqual([200, "plain words"]);
});

test("SDK-20: a handshake at an address where nothing is is answered 404", async () => {
  await using gateway = await startLive(echo);
  const headers = { ...handshake, authorization: `Bearer ${await tokenFor(gateway, "read")}` };
  expect((await shake(gateway, "/none", headers))[0]).toBe(404);
});

test("SDK-20: another upgrade is ignored, and its body is read", async () => {
  await using gateway = await startGateway({ plugins: [memoryStore(), fakeProvider(["hello there"])] });
  const { token } = await gateway.pair();
  const headers = {
    connection: "Upgrade, HTTP2-Settings",
    upgrade: "h2c",
    "content-type": "application/json",
    authorization: `Bearer ${token}`,
  };
  const [status, text] = await shake(gateway, "/api/chat", headers, "POST", '{"message":"hi"}');
  expect([status, JSON.parse(text).reply]).toEqual([200, "hello there"]);
});

test.each([
  ["no key", { "sec-websocket-key": "" }],
  ["an old version", { "sec-websocket-version": "7" }],
  ["a subprotocol twice", { "sec-websocket-protocol": "a, a" }],
])("SDK-20: a handshake with %s is refused in the gateway's words", async (_, wrong) => {
  await using gateway = await startLive(echo);
  const [status, text] = await shake(gateway, "/live", { ...handshake, ...wrong });
  expect([status, JSON.parse(text).error.code]).toEqual([400, "GATEWAY_BAD_REQUEST"]);
});

const failing =
  (error: () => Error): Work =>
  async () => {
    throw error();
  };

test("SDK-20: a route that throws a code closes with it, and any other failure is told in the log alone", async () => {
  const { errors } = await import("./errors.ts");
  await using coded = await startLive(failing(() => errors.GATEWAY_BUSY()));
  expect(await (await open(coded)).closed).toEqual([1011, "GATEWAY_BUSY"]);
  await using broken = await startLive(failing(() => new Error("the disk went away")));
  expect(await (await open(broken)).closed).toEqual([1011, "GATEWAY_FAILED"]);
  expect(broken.host.logs.map(({ message }) => message).join()).toContain("the disk went away");
});

test("SDK-20: a code that no route may choose closes as a failure of the route", async () => {
  await using gateway = await startLive(async () => ({ code: 1006, reason: "" }));
  expect(await (await open(gateway)).closed).toEqual([1011, "GATEWAY_FAILED"]);
});

test("SDK-20: a message sent with the handshake is read", async () => {
  await using gateway = await startLive(echo);
  const socket = connect(gateway.port, "127.0.0.1");
  const lines = Object.entries({ host: `127.0.0.1:${gateway.port}`, ...handshake });
  const head = `GET /live HTTP/1.1\r\n${lines.map((line) => `${line.join(": ")}\r\n`).join("")}\r\n`;
  const frame = Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69]);
  socket.write(Buffer.concat([Buffer.from(head), frame]));
  let text = "";
  for await (const piece of socket.setEncoding("latin1")) {
    text += piece;
    if (text.endsWith("\u0081\u0002hi")) break;
  }
  expect(text).toContain("101 Switching Protocols");
});

test("SDK-20: a stop closes 20 WebSockets with 1001 and waits for none that does not answer", async () => {
  await using gateway = await startLive(async () => new Promise(() => {}));
  const polite = await Promise.all(Array.from({ length: 20 }, () => open(gateway)));
  const deaf = connect(gateway.port, "127.0.0.1");
  const lines = Object.entries({ host: `127.0.0.1:${gateway.port}`, ...handshake });
  deaf.write(`GET /live HTTP/1.1\r\n${lines.map((line) => `${line.join(": ")}\r\n`).join("")}\r\n`);
  await once(deaf, "data");
  await stop(gateway);
  for (const { closed } of polite) expect(await closed).toEqual([1001, "GATEWAY_STOPPING"]);
  deaf.destroy();
});

test("SDK-20: a WebSocket ends once its token is revoked", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  await using gateway = await startLive(echo, locked);
  const token = await tokenFor(gateway, "read");
  const { closed } = await open(gateway, "/live", [], { headers: { authorization: `Bearer ${token}` } });
  const [{ device_id }] = JSON.parse((await gateway.word("pair list", [], { json: true })).out);
  await gateway.word("pair revoke", [device_id]);
  vi.advanceTimersByTime(15_000);
  expect(await closed).toEqual([1008, "GATEWAY_UNAUTHORIZED"]);
});

test("SDK-20: a client that answers no sign of life is taken for gone", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const { promise: over, resolve } = Promise.withResolvers<boolean>();
  await using gateway = await startLive(async (_, { signal }) => {
    if (!signal.aborted) await once(signal, "abort");
    resolve(true);
  });
  const { closed } = await open(gateway, "/live", [], { autoPong: false });
  vi.advanceTimersByTime(3 * 15_000);
  expect(await over).toBe(true);
  expect((await closed)[0]).toBe(1006);
});

test("SDK-20: a client that answers the signs of life is kept", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  await using gateway = await startLive(echo);
  const { ws, next } = await open(gateway);
  for (let beats = 0; beats < 5; beats += 1) {
    const pinged = once(ws, "ping");
    vi.advanceTimersByTime(15_000);
    await pinged;
    ws.send("still here");
    expect(await next()).toBe("still here");
  }
});

test("SDK-20: a turn that a WebSocket begins has no tool beyond its token", async () => {
  const plugin = definePlugin({
    name: "forgetful",
    needs: { inbox: Inbox },
    provides: [Routes, Tools],
    setup(host) {
      const [input, run] = [Type.Object({}), async () => "ran"];
      host.provide(Tools, defineTool({ name: "manage", description: "Runs.", input, run, may: "manage" }));
      const webSocket: Work = async (socket, { signal }) => {
        for await (const text of socket.messages) {
          const at = { channel: "http", id: crypto.randomUUID(), from: "me", text: String(text) };
          const message = directMessage({ ...at, trust: "owner" });
          const { tool_calls } = await host.needs.inbox.prompt(message, { signal, approvals: "yes" });
          await socket.send(JSON.stringify(tool_calls));
        }
      };
      host.provide(Routes, {
        name: "GET /talk",
        method: "GET",
        path: "/talk",
        auth: "token",
        may: "talk",
        summary: "s",
        handle: async (request) => ({ status: 101, webSocket: (socket) => webSocket(socket, request) }),
      });
    },
  });
  const model = fakeProvider([{ calls: [{ name: "manage", args: {} }] }, "done"]);
  await using gateway = await startGateway({ plugins: [memoryStore(), model, plugin] });
  const headers = { authorization: `Bearer ${await tokenFor(gateway, "talk")}` };
  const { ws, next } = await open(gateway, "/talk", [], { headers });
  ws.send("go");
  expect(JSON.parse(await next())).toMatchObject([{ tool: "manage", code: "SCOPE_MISSING" }]);
});

/**
 * Starts a gateway with a WebSocket in a process of its own, and tells if `ws` is loaded before and
 * after a handshake.
 */
const counting = `
  import { createRequire } from "node:module";
  import { definePlugin, Routes } from "@gantry/sdk";
  import { fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
  import gateway from ${JSON.stringify(new URL("index.ts", import.meta.url))};
  const { cache } = createRequire(import.meta.url);
  const isLoaded = () => Object.keys(cache).some((file) => /[/]ws[/]lib[/]/.test(file));
  const route = {
    name: "GET /live", method: "GET", path: "/live", auth: "none", summary: "s",
    handle: async () => ({ status: 101, webSocket: async () => {} }),
  };
  const setup = (host) => host.provide(Routes, route);
  const live = definePlugin({ name: "live", provides: [Routes], setup });
  const plugins = [memoryStore(), fakeProvider([]), live, gateway];
  const host = await startTestHost({ plugins, config: { gateway: { port: 0 } } });
  await host.serve(["gateway"]);
  const url = host.logs.find(({ detail }) => "url" in detail).detail.url;
  await (await fetch(url + "/live")).text();
  const before = isLoaded();
  const socket = new WebSocket(url.replace("http", "ws") + "/live");
  await new Promise((resolve) => socket.addEventListener("close", resolve));
  console.log(JSON.stringify([before, isLoaded()]));
  process.exit();
`;

test("SDK-20: a gateway loads what speaks WebSocket at the first handshake", async () => {
  const args = ["--conditions=gantry-source", "--input-type=module", "--eval", counting];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
  expect(JSON.parse(stdout)).toEqual([false, true]);
});
