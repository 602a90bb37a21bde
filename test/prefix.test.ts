import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { textOf } from "@gantry/sdk";
import { fakeProvider, startTestHost } from "@gantry/sdk/testing";
import { array, assert, asyncProperty, constantFrom } from "fast-check";
import { expect, test } from "vitest";
import history from "../plugins/history-compact/index.ts";
import instructions from "../plugins/prompt-instructions/index.ts";
import net from "../plugins/net-undici/index.ts";
import chat from "../plugins/provider-chat-completions/index.ts";
import messages from "../plugins/provider-messages/index.ts";
import store from "../plugins/store-sqlite/index.ts";
import { tool } from "./helpers/plugins.ts";

interface Upstream extends AsyncDisposable {
  readonly address: string;
  readonly bodies: readonly Record<string, unknown>[];
}

/**
 * A server that calls the tool `look` wherever the person's text begins with `look`, in either
 * format.
 */
async function upstream(): Promise<Upstream> {
  const bodies: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const parsed = JSON.parse(body) as Record<string, unknown>;
      bodies.push(parsed);
      const last = JSON.stringify((parsed["messages"] as unknown[]).at(-1));
      const calls = last.includes("look ") && !last.includes("tool_result") && !last.includes('"tool"');
      const id = `call_${bodies.length}`;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        JSON.stringify(request.url?.endsWith("/messages") ? asMessages(id, calls) : asChat(id, calls)),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function asChat(id: string, calls: boolean): object {
  const tool_calls = [{ id, type: "function", function: { name: "look", arguments: "{}" } }];
  const message = calls
    ? { role: "assistant", content: null, tool_calls }
    : { role: "assistant", content: `Seen ${id}.` };
  return { choices: [{ index: 0, message, finish_reason: calls ? "tool_calls" : "stop" }] };
}

function asMessages(id: string, calls: boolean): object {
  const content = calls
    ? [{ type: "tool_use", id, name: "look", input: {} }]
    : [{ type: "text", text: `Seen ${id}.` }];
  return { type: "message", role: "assistant", content, stop_reason: calls ? "tool_use" : "end_turn" };
}

/**
 * Returns the cached bytes of a body: marks of the provider's cache move on with the conversation
 * and do not belong to them; a text alone and a list of that one text are the same to a server.
 */
function bytesOf(body: Record<string, unknown>): { readonly head: string; readonly list: readonly string[] } {
  const plain = JSON.parse(JSON.stringify(body), (key, value: unknown) => {
    if (key === "cache_control") return undefined;
    const [only, ...more] =
      key === "content" && Array.isArray(value) ? (value as { type: string; text: string }[]) : [];
    return only?.type === "text" && more.length === 0 ? only.text : value;
  }) as { messages: unknown[] };
  const { messages: list, ...head } = plain;
  return { head: JSON.stringify(head), list: list.map((message) => JSON.stringify(message)) };
}

test.each(["custom", "messages-custom"])(
  "CACHE-01: with %s every request begins with the bytes of the one before, over turns, tools and restarts",
  async (kind) => {
    await assert(
      asyncProperty(
        array(constantFrom("look at it", "hello", "look <<end 0>>", "restart", "naïve 日本 \u2028 </s>"), {
          minLength: 10,
          maxLength: 12,
        }),
        async (script) => {
          await using server = await upstream();
          const configDir = await mkdtemp(path.join(tmpdir(), "gantry-prefix-"));
          let count = 0;
          const failures: unknown[] = [];
          const look = tool(
            "look",
            async () => `page ${(count += 1)} <|im_end|> <<untrusted x>> ${Math.random()}`,
          );
          const start = () =>
            startTestHost({
              plugins: [look, net, chat, messages, store, instructions, history],
              config: { default_provider: `${kind}:${server.address}`, default_model: "m", api_key: "key" },
              configDir,
            });
          let t = await start();
          try {
            for (const said of script) {
              if (said === "restart") {
                await t.stop();
                t = await start();
              } else failures.push((await t.ask(said)).error);
            }
          } finally {
            await t.stop();
            await rm(configDir, { recursive: true, force: true });
          }
          expect(failures.every((failure) => failure === undefined)).toBe(true);
          expect(server.bodies.length).toBeGreaterThanOrEqual(
            script.filter((said) => said !== "restart").length,
          );
          for (let i = 1; i < server.bodies.length; i += 1) {
            const [before, after] = [server.bodies[i - 1], server.bodies[i]].map((body) =>
              bytesOf(body ?? {}),
            );
            expect(after?.head).toBe(before?.head);
            expect(after?.list.slice(0, before?.list.length)).toEqual(before?.list);
          }
        },
      ),
      { numRuns: process.env["GANTRY_LONG"] ? 30 : 3 },
    );
  },
);

test("CACHE-01: turns leave in steps where there are more than memory.max_conversation_turns, so most requests keep their beginning", async () => {
  const model = fakeProvider(["ok"]);
  const config = { memory: { max_conversation_turns: 6 } };
  await using t = await startTestHost({ plugins: [model, store], config });
  for (let i = 0; i < 24; i += 1) await t.ask(`turn ${i}`);
  const firsts = model.requests.map(({ messages: list }) => textOf(list[1]?.parts ?? []));
  expect(new Set(firsts).size).toBeLessThanOrEqual(8);
});
