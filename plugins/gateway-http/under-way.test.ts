import { fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import openai from "../gateway-openai/index.ts";
import mcpServer from "../mcp-server/index.ts";
import { startGateway } from "./gateway.test-kit.ts";

const most = 256;
const accept = "application/json, text/event-stream";
const call = { name: "ask", arguments: { message: "hi" } };

/** Each door of turns, and the code in what it refuses. */
const doors: readonly (readonly [string, object, (json: any) => unknown])[] = [
  ["/api/chat", { message: "hi" }, ({ error }) => error.code],
  [
    "/v1/chat/completions",
    { model: "gantry", messages: [{ role: "user", content: "hi" }] },
    ({ error }) => error.code,
  ],
  ["/v1/responses", { model: "gantry", input: "hi", store: false }, ({ error }) => error.code],
  ["/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: call }, ({ error }) => error.data.code],
];

test("GW-04: of one token 256 requests are under way over all doors, and others are let in", async () => {
  const going = Promise.withResolvers<void>();
  const full = Promise.withResolvers<void>();
  let asked = 0;
  const model = fakeProvider([
    () => {
      asked += 1;
      if (asked === most) full.resolve();
      return { text: "done", after: going.promise };
    },
  ]);
  await using gateway = await startGateway({ plugins: [memoryStore(), model, openai, mcpServer] });
  const [{ token }, { token: other }] = [await gateway.pair("a"), await gateway.pair("b")];
  const ask = ([path, body]: (typeof doors)[number], by: string) =>
    gateway.ask(path, { body, token: by, headers: { accept } });
  const held = Array.from({ length: most }, (_, i) => ask(doors[i % doors.length]!, token));
  await full.promise;
  for (const door of doors) {
    const { status, json, headers } = await ask(door, token);
    const told = [status, headers["retry-after"], door[2](json)];
    expect([door[0], ...told]).toEqual([door[0], 429, "1", "GATEWAY_UNDER_WAY"]);
  }
  const beside = doors.map((door) => ask(door, other));
  going.resolve();
  const statuses = (await Promise.all([...held, ...beside])).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  for (const door of doors) expect((await ask(door, token)).status).toBe(200);
});
