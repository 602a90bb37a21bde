import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type {
  ChatMessage,
  ChatRequest,
  Part,
  Provider,
  ProviderEvent,
  ProviderFailure,
  ToolSpec,
} from "@gantry/sdk";
import { textParts, ProviderTable } from "@gantry/sdk";
import { createMemoryMedia } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { createUpstream } from "../net-undici/upstream.ts";
import { endpointOf } from "./endpoint.ts";
import { createProvider } from "./provider.ts";
import { ResponsesMode } from "./responses-mode.ts";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: any;
}

/** A real server on loopback that notes what it was asked. */
export async function serve(answer: (asked: Asked, response: ServerResponse) => void) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request) text += String(piece);
    const { method = "", url: path = "", headers } = request;
    const one = { method, path, headers, body: text === "" ? undefined : JSON.parse(text) };
    asked.push(one);
    answer(one, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    server,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** Sends chunks as an event stream; strings go out as they are. */
export function stream(response: ServerResponse, pieces: readonly unknown[], end = true): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const piece of pieces)
    response.write(typeof piece === "string" ? piece : `data: ${JSON.stringify(piece)}\n\n`);
  if (end) response.end();
}

export const DONE = "data: [DONE]\n\n";
export const chunk = (delta: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
});
export const usage = { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } };

/** A provider as the plugin would make it, over the real client. */
export function provider(
  id: string,
  config: Record<string, unknown> = {},
  env: Record<string, string> = {},
  upstream: ReturnType<typeof createUpstream> = createUpstream({}),
) {
  const stop = new AbortController();
  const { providers = {}, configured, ...rest } = config;
  const settings = {
    endpoints: { vendor_api_url: "https://vendor.invalid/v1" },
    ...rest,
    providers: Value.Default(ProviderTable, providers) as ProviderTable,
  };
  const endpoint = endpointOf(id, settings, env, configured as string | undefined);
  if (!endpoint) throw new Error(`nobody serves ${id}`);
  const made = createProvider(
    upstream,
    endpoint,
    new ResponsesMode(upstream, env.SERVICE_RESPONSES_WEBSOCKET, stop.signal),
  );
  return Object.assign({}, made, {
    endpoint,
    upstream,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await upstream.close();
    },
  });
}

export const user = (text: string): ChatMessage => ({ role: "user", parts: textParts(text) });
const media = createMemoryMedia();
/** A request's way to its pictures. */
export const withMedia: Partial<ChatRequest> = { media: ({ id }) => media.open(id) };
/** A small picture (or whatever else `mime` says), as a part. */
export async function picture(mime = "image/png", data = "iVBORw0="): Promise<Part> {
  return { type: "media", media: await media.put(Buffer.from(data, "base64"), { mime, name: "cat.png" }) };
}
export const tools = (...names: string[]): ToolSpec[] =>
  names.map((name) => ({
    name,
    description: `The tool ${name}.`,
    input: Type.Object({ path: Type.String() }),
  }));

export function request(
  messages: string | readonly ChatMessage[],
  more: Partial<ChatRequest> = {},
): ChatRequest {
  const list = typeof messages === "string" ? [user(messages)] : messages;
  return {
    model: "m",
    messages: list,
    tools: [],
    temperature: 0.7,
    session: "s",
    signal: new AbortController().signal,
    ...more,
  };
}

/** What an answer shows; signs of life are left out. */
export async function collect(from: Provider, asked: ChatRequest): Promise<ProviderEvent[]> {
  const events: ProviderEvent[] = [];
  for await (const event of from.chat(asked))
    if (event.type !== "text" || event.text !== "") events.push(event);
  return events;
}

export const textOf = (events: readonly ProviderEvent[]): string =>
  events.map((event) => (event.type === "text" ? event.text : "")).join("");
export const callsOf = (events: readonly ProviderEvent[]) =>
  events.flatMap((event) => (event.type === "tool_call" ? [event.call] : []));

export function failureOf(events: readonly ProviderEvent[]): ProviderFailure {
  const last = events.at(-1);
  if (last?.type !== "error") throw new Error(`ended in ${JSON.stringify(last)}`);
  if (events.filter((event) => event.type === "error" || event.type === "stop").length !== 1)
    throw new Error("more than one end");
  return last.failure;
}
