import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { vi } from "vitest";
import { textParts } from "@gantry/sdk";
import type { ChatMessage, ChatRequest, Plugin, ProviderEvent } from "@gantry/sdk";
import { memoryStore, startTestHost } from "@gantry/sdk/testing";
import net from "../net-undici/index.ts";
import plugin from "./index.ts";

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly auth: string | undefined;
  readonly type: string | undefined;
  readonly raw: string;
  /** The JSON body, as it came. */
  readonly body: any;
}
export type Reply =
  | {
      readonly status?: number;
      readonly json: unknown;
      readonly headers?: Record<string, string>;
      readonly afterMs?: number;
    }
  | { readonly sse: readonly unknown[]; readonly cut?: boolean }
  | "hang";
export type Route = (seen: Seen, times: number) => Reply;

export const sentence = (text: string, more: object = {}): object => ({
  candidates: [{ content: { role: "model", parts: [{ text }] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3 },
  ...more,
});

/**
 * The vendor's servers on loopback: both endpoints, the token server and the model list, each with
 * its own answers.
 */
export async function vendor(routes: Readonly<Record<string, Route>>) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const raw = Buffer.concat(pieces).toString();
    const url = new URL(request.url ?? "", "http://x");
    const { authorization: auth, "content-type": type } = request.headers;
    const body: unknown = type?.includes("json")
      ? JSON.parse(raw)
      : Object.fromEntries(new URLSearchParams(raw));
    const one: Seen = {
      method: request.method ?? "",
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      auth,
      type,
      raw,
      body,
    };
    seen.push(one);
    const route = Object.entries(routes).find(([end]) => url.pathname.endsWith(end));
    const times = seen.filter(({ path }) => path === url.pathname).length;
    reply(
      response,
      route ? route[1](one, times) : { status: 404, json: { error: { code: 404, message: "not found" } } },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    base,
    seen,
    at: (end: string) => seen.filter(({ path }) => path.endsWith(end)),
    endpoints: {
      genlang_url: `${base}/v1beta`,
      genlang_internal_url: `${base}/v1internal`,
      oauth_token_url: `${base}/token`,
      oauth_authorize_url: `${base}/authorize`,
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function reply(response: ServerResponse, answer: Reply): void {
  if (answer === "hang") return;
  if ("json" in answer) {
    if (answer.afterMs) return void setTimeout(reply, answer.afterMs, response, { ...answer, afterMs: 0 });
    response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers });
    return void response.end(typeof answer.json === "string" ? answer.json : JSON.stringify(answer.json));
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const data of answer.sse)
    response.write(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\r\n\r\n`);
  if (answer.cut) response.socket?.destroySoon();
  else response.end();
}

/**
 * A home directory of its own, no credential in the environment; files are given by their path in
 * it.
 */
export function home(
  files: Readonly<Record<string, unknown>> = {},
  env: Readonly<Record<string, string>> = {},
) {
  const path = mkdtempSync(join(tmpdir(), "genlang-home-"));
  const put = (name: string, value: unknown): void => {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), typeof value === "string" ? value : JSON.stringify(value));
  };
  for (const [name, value] of Object.entries(files)) put(name, value);
  const names = [
    "GENLANG_API_KEY",
    "CLOUDVENDOR_API_KEY",
    "CLOUD_PROJECT",
    "CLOUD_PROJECT_ID",
    "SERVICE_GENLANG_CLIENT_ID",
    "SERVICE_GENLANG_CLIENT_SECRET",
  ];
  for (const name of names) vi.stubEnv(name, env[name]);
  vi.stubEnv("HOME", path);
  return {
    path,
    put,
    [Symbol.dispose]() {
      vi.unstubAllEnvs();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

export interface Started {
  readonly endpoints?: object;
  readonly config?: object;
  readonly configDir?: string;
  readonly others?: readonly Plugin[];
}

/** A real host with the plugin, the real HTTP client and a store in memory. */
export async function start({ endpoints, config, configDir, others = [] }: Started) {
  const host = await startTestHost({
    plugins: [memoryStore(), net, plugin, ...others],
    config: { default_provider: "genlang", ...(endpoints && { endpoints }), ...config },
    ...(configDir !== undefined && { configDir }),
  });
  const provider = await host.resolveProvider({ provider: "genlang", model: undefined });
  const chat = async (
    messages: readonly ChatMessage[] | string,
    more: Partial<ChatRequest> = {},
  ): Promise<ProviderEvent[]> => {
    const events: ProviderEvent[] = [];
    const request: ChatRequest = {
      model: "gemini-x",
      messages: typeof messages === "string" ? [{ role: "user", parts: textParts(messages) }] : messages,
      tools: [],
      temperature: 0.7,
      session: "s",
      signal: new AbortController().signal,
      ...more,
    };
    for await (const event of provider.chat(request)) events.push(event);
    return events;
  };
  return { host, provider, chat, [Symbol.asyncDispose]: () => host[Symbol.asyncDispose]() };
}

export const textOf = (events: readonly ProviderEvent[]): string =>
  events.map((event) => (event.type === "text" ? event.text : "")).join("");
export const lastOf = (events: readonly ProviderEvent[]): any => events.at(-1);
