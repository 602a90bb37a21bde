import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { textParts, ProviderTable } from "@gantry/sdk";
import type {
  ChatMessage,
  ChatRequest,
  Part,
  Provider,
  ProviderEvent,
  ProviderFailure,
  ToolSpec,
} from "@gantry/sdk";
import { createMemoryMedia } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { createUpstream } from "../net-undici/upstream.ts";
import { createProvider } from "./provider.ts";
import { serverOf } from "./server.ts";

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
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
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

/** Sends events as a stream; strings go out as they are. */
export function stream(response: ServerResponse, pieces: readonly unknown[], end = true): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const piece of pieces) {
    const type = (piece as { type?: string } | null)?.type;
    response.write(typeof piece === "string" ? piece : `event: ${type}\ndata: ${JSON.stringify(piece)}\n\n`);
  }
  if (end) response.end();
}

export const begin = {
  type: "message_start",
  message: { role: "assistant", content: [], usage: { input_tokens: 11, output_tokens: 1 } },
};
export const say = (text: string, index = 0): object[] => [
  { type: "content_block_start", index, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index, delta: { type: "text_delta", text } },
  { type: "content_block_stop", index },
];
export const end = (stop_reason: string, output_tokens = 5): object[] => [
  { type: "message_delta", delta: { stop_reason }, usage: { output_tokens } },
  { type: "message_stop" },
];

/** A provider as the plugin would make it, over the real client. */
export function provider(
  url: string,
  config: Record<string, unknown> = {},
  env: Record<string, string> = {},
) {
  const upstream = createUpstream({});
  const server = serverOf(
    `messages-custom:${url}`,
    { ...config, providers: Value.Default(ProviderTable, config.providers ?? {}) as ProviderTable },
    env,
  )!;
  return Object.assign({}, createProvider(upstream, server), {
    [Symbol.asyncDispose]: () => upstream.close(),
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
