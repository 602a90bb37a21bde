import type { ToolRun } from "@gantry/sdk";
import { expect, test } from "vitest";
import { tool } from "../../test/helpers/plugins.ts";
import { asking, openDoor, textOf, tokenOf, type Door } from "./door.test-kit.ts";

const accept = "application/json, text/event-stream";
const clock = tool("clock", async () => "noon");

interface Sent {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const post = ({ gateway }: Door, body: unknown, { token, headers }: Sent = {}) =>
  gateway.ask("/mcp", {
    body,
    headers: { accept, ...headers },
    ...(token !== undefined && { token }),
  });

const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
const callOf = (name: string, id: number | string = 1) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: {} },
});

/** Asks as a client of 2026-07-28 that can put forms. */
function modern(door: Door, token: string, params: object): Promise<any> {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
  };
  const headers = {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "clock",
  };
  const body = { ...callOf("clock"), params: { name: "clock", arguments: {}, ...params, _meta: meta } };
  return post(door, body, { token, headers }).then(({ text }) => JSON.parse(text) as unknown);
}

/** The session id that a client gets which can put forms. */
async function sessionOf(door: Door, token: string): Promise<string> {
  const clientInfo = { name: "test", version: "1" };
  const capabilities = { elicitation: {} };
  const params = { protocolVersion: "2025-11-25", capabilities, clientInfo };
  const answer = await post(door, { jsonrpc: "2.0", id: 0, method: "initialize", params }, { token });
  return String(answer.headers["mcp-session-id"]);
}

/** Returns what stands in the frames of a stream. */
const framesIn = (text: string): readonly any[] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice(6)) as unknown);

test("MCP-11: without a token, or with one that may not talk, nothing is answered", async () => {
  const door = await openDoor([], []);
  expect((await post(door, list)).status).toBe(401);
  const { token } = await tokenOf(door, "read");
  const refused = await post(door, list, { token });
  expect([refused.status, refused.json]).toMatchObject([403, { error: { data: { code: "SCOPE_MISSING" } } }]);
  const { token: talks } = await tokenOf(door, "talk");
  expect((await post(door, list, { token: talks })).status).toBe(200);
});

test("MCP-11: a page of another origin, and another name of this machine, are refused", async () => {
  const door = await openDoor([], []);
  const { token } = await door.gateway.pair();
  const foreign = ["origin: https://evil.example", "host: evil.example"].map((line) => line.split(": "));
  for (const header of foreign) {
    const headers = Object.fromEntries([header]) as Record<string, string>;
    expect((await post(door, list, { token, headers })).status).toBe(403);
  }
});

const strange: readonly (readonly [string, unknown, number, string?])[] = [
  ["a batch", [list, list], 400],
  ["an empty batch", [], 400],
  ["what is not JSON", "{", 400],
  ["a text", '"tools/list"', 400],
  ["null", "null", 400],
  ["an object of no method", {}, 400],
  ["a form", "method=tools/list", 415, "application/x-www-form-urlencoded"],
  ["plain text", JSON.stringify(list), 415, "text/plain"],
  ["more than 1 MiB", `"${"x".repeat(1024 * 1024)}"`, 413],
  ["brackets in brackets", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${"[".repeat(1e6)}`, 400],
  ["bytes that are not UTF-8", new Uint8Array([0x22, 0xff, 0x22]), 400],
  ["an id that is an object", { ...list, id: {} }, 400],
];

test.each(strange.map((row) => ({ what: row[0], row })))("MCP-11: $what is refused", async ({ row }) => {
  const [, body, status, type = "application/json"] = row;
  const door = await openDoor([], []);
  const { token } = await door.gateway.pair();
  const answer = await post(door, body, { token, headers: { "content-type": type } });
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining('"error"')]);
  expect((await post(door, list, { token })).status).toBe(200);
});

test("MCP-11: GET and DELETE are answered 405, and a session that is none 404", async () => {
  const door = await openDoor([], []);
  const { token } = await door.gateway.pair();
  for (const method of ["GET", "DELETE"])
    expect((await door.gateway.ask("/mcp", { method, token })).status).toBe(405);
  const answer = await post(door, list, { token, headers: { "mcp-session-id": "' or 1=1" } });
  expect(answer.status).toBe(404);
});

test.each(["__proto__", "constructor", "toString", "memory_recall", "", "ask\u0000"])(
  "MCP-11: a tool `%s` is not there",
  async (name) => {
    const door = await openDoor([], [clock]);
    const { token } = await door.gateway.pair();
    const { text } = await post(door, callOf(name), { token });
    expect(framesIn(text)).toMatchObject([{ error: { code: -32_602 } }]);
  },
);

/** A tool that goes on once it is told to, and is seen to be stopped. */
function held() {
  const began = Promise.withResolvers<void>();
  const going = Promise.withResolvers<string>();
  let isStopped = false;
  const plugin = tool("hold", ({ signal }: ToolRun<any>) => {
    signal.addEventListener("abort", () => (isStopped = true));
    began.resolve();
    return going.promise;
  });
  return { plugin, began: began.promise, go: () => going.resolve("held"), isStopped: () => isStopped };
}

test("MCP-14: a request under an id that runs is refused, and the one that runs goes on", async () => {
  const { plugin, began, go } = held();
  const door = await openDoor(["hold"], [plugin]);
  const { token } = await door.gateway.pair();
  const headers = { "mcp-session-id": await sessionOf(door, token) };
  const first = post(door, callOf("hold", 7), { token, headers });
  await began;
  const second = await post(door, callOf("hold", 7), { token, headers });
  expect([second.status, second.text]).toEqual([400, expect.stringContaining("a request with this id runs")]);
  go();
  expect((await first).text).toContain('"held"');
});

test("MCP-14: another device cancels nothing, also by the session and id of a call", async () => {
  const { plugin, began, go, isStopped } = held();
  const door = await openDoor(["hold"], [plugin]);
  const [{ token }, { token: other }] = [await door.gateway.pair("a"), await door.gateway.pair("b")];
  const headers = { "mcp-session-id": await sessionOf(door, token) };
  const call = post(door, callOf("hold", 7), { token, headers });
  await began;
  const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } };
  expect((await post(door, cancel, { token: other, headers })).status).toBe(202);
  expect(isStopped()).toBe(false);
  go();
  expect((await call).text).toContain('"held"');
});

test("MCP-14: another device does not come back to a call, and nobody does twice", async () => {
  const door = await openDoor(["clock"], [clock, asking("clock")]);
  const [{ token }, { token: other }] = [await door.gateway.pair("a"), await door.gateway.pair("b")];
  const { result } = await modern(door, token, {});
  const [key = ""] = Object.keys(result.inputRequests as object);
  const inputResponses = { [key]: { action: "accept", content: { decision: "allow" } } };
  const { requestState } = result as { readonly requestState: string };
  const back = { inputResponses, requestState };
  const refused = { error: { code: -32_602 } };
  expect(await modern(door, other, back)).toMatchObject(refused);
  expect(await modern(door, token, { ...back, requestState: `${requestState}0` })).toMatchObject(refused);
  expect(await modern(door, token, back)).toMatchObject({ result: { content: [{ text: "noon" }] } });
  expect(await modern(door, token, back)).toMatchObject(refused);
});

test("MCP-11: of one token 16 questions wait at any door; a call with one more is refused", async () => {
  const door = await openDoor(["clock"], [clock, asking("clock")]);
  const { token } = await door.gateway.pair();
  for (let i = 0; i < 16; i += 1)
    expect(await modern(door, token, {})).toMatchObject({ result: { resultType: "input_required" } });
  const refused = await modern(door, token, {});
  expect(textOf(refused.result)).toContain("APPROVAL_MANY");
  const { text } = await post(door, callOf("clock"), { token });
  expect(textOf(framesIn(text)[0].result)).toContain("APPROVAL_MANY");
  const { token: other } = await door.gateway.pair("other");
  expect(await modern(door, other, {})).toMatchObject({ result: { resultType: "input_required" } });
});

test("MCP-11: a progress token of 10,000 characters does not come back with each step", async () => {
  const dig = tool("dig", async ({ progress }: ToolRun<any>) => {
    progress?.({ done: 1 });
    return "dug";
  });
  const door = await openDoor(["dig"], [dig]);
  const { token } = await door.gateway.pair();
  const call = (progressToken: string) => {
    const params = { name: "dig", arguments: {}, _meta: { progressToken } };
    return post(door, { ...callOf("dig"), params }, { token }).then(({ text }) => framesIn(text));
  };
  expect((await call("mine")).map(({ method }) => method)).toEqual(["notifications/progress", undefined]);
  expect(await call("x".repeat(10_000))).toMatchObject([{ result: { content: [{ text: "dug" }] } }]);
});
