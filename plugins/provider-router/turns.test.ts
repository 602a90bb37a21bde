import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { Checks } from "@gantry/sdk";
import { memoryStore, startTestHost } from "@gantry/sdk/testing";
import net from "../net-undici/index.ts";
import chat from "../provider-chat-completions/index.ts";
import plugin from "./index.ts";

/**
 * A real model server: answers with each status in turn, the last one again and again; 200 is an
 * answer.
 */
async function serve(statuses: readonly number[], answer = "served", headers: Record<string, string> = {}) {
  const asked: { readonly model: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += String(piece);
    asked.push(JSON.parse(body));
    const status = statuses[Math.min(asked.length, statuses.length) - 1] ?? 200;
    if (status === 0) return void response.destroy();
    response.writeHead(status, { "content-type": "text/event-stream", ...headers });
    const delta = { choices: [{ index: 0, delta: { content: answer }, finish_reason: "stop" }] };
    response.end(status === 200 ? `data: ${JSON.stringify(delta)}\n\ndata: [DONE]\n\n` : "{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    id: `custom:http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const start = (config: object) =>
  startTestHost({ plugins: [memoryStore(), net, chat, plugin], config: { ...config } });

test.each([
  [1, 2, "Error"],
  [3, 4, "EndTurn"],
])(
  "PRV-10: max_retries = %d in [providers.<id>] lets a real server be asked %d times",
  async (max_retries, requests, stop_reason) => {
    await using server = await serve([503, 503, 503, 200]);
    await using gantry = await start({ providers: { custom: { max_retries, retry_backoff_ms: 1 } } });
    expect(await gantry.ask("hi", { provider: server.id, model: "m" })).toMatchObject({ stop_reason });
    expect(server.asked).toHaveLength(requests);
  },
);

test.each([
  ["local-a", "local-a-server"],
  ["local-a-server", "local-a"],
])("PRV-10: max_retries for %s counts where the table has the name %s", async (default_provider, table) => {
  await using server = await serve([503, 503, 503, 200]);
  const api_url = server.id.replace("custom:", "");
  await using gantry = await start({
    default_provider,
    api_url,
    providers: { [table]: { max_retries: 3, retry_backoff_ms: 1 } },
  });
  expect(await gantry.ask("hi", { model: "m" })).toMatchObject({ reply: "served" });
});

test("PRV-10: Retry-After of a real server is waited for", async () => {
  await using server = await serve([429, 200], "served", { "retry-after": "1" });
  await using gantry = await start({ providers: { custom: { retry_backoff_ms: 1 } } });
  const before = performance.now();
  expect(await gantry.ask("hi", { provider: server.id, model: "m" })).toMatchObject({ reply: "served" });
  expect(performance.now() - before).toBeGreaterThan(990);
});

test.each([401, 404, 429, 500, 0])(
  "PRV-11: after %d the fallback serves the turn, and the result says who it was",
  async (status) => {
    await using first = await serve([status]);
    await using second = await serve([200], "from the second");
    await using gantry = await start({
      reliability: { fallback_providers: [second.id] },
      providers: { custom: { max_retries: 1, retry_backoff_ms: 1 } },
    });
    const result = await gantry.ask("hi", { provider: first.id, model: "m" });
    expect(result).toMatchObject({ reply: "from the second", provider: second.id, stop_reason: "EndTurn" });
    expect(second.asked[0]?.model).toBe("m");
  },
);

test("PRV-11: a turn never falls back after text was shown", async () => {
  await using second = await serve([200]);
  const half = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "half" } }] })}\n\n`,
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => half.listen(0, "127.0.0.1", resolve));
  try {
    await using gantry = await start({ reliability: { fallback_providers: [second.id] } });
    const shown: string[] = [];
    const result = await gantry.ask("hi", {
      provider: `custom:http://127.0.0.1:${(half.address() as AddressInfo).port}/v1`,
      model: "m",
      onEvent: (event) => void (event.type === "delta" && shown.push(event.text)),
    });
    expect([shown.join(""), result.stop_reason, second.asked.length]).toEqual(["half", "Error", 0]);
  } finally {
    half.closeAllConnections();
    half.close();
  }
});

test("PRV-10: a server that keeps failing is left alone, and `status` says so", async () => {
  await using server = await serve([503]);
  await using gantry = await start({ providers: { custom: { max_retries: 4, retry_backoff_ms: 1 } } });
  await gantry.ask("hi", { provider: server.id, model: "m" });
  const before = server.asked.length;
  const result = await gantry.ask("hi", { provider: server.id, model: "m" });
  expect(server.asked).toHaveLength(before);
  expect(result.error?.code).toBe("ROUTER_COOLING");
  const rows = await gantry.slot(Checks).get("providers-left-alone")?.run(new AbortController().signal);
  expect(rows).toMatchObject([
    { what: `provider ${server.id}`, state: "warn", detail: expect.stringContaining("HTTP 503") },
  ]);
});
