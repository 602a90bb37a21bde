import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { textParts } from "@gantry/sdk";
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

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: any;
}

export interface ModelServer extends AsyncDisposable {
  /** Without a path. */
  readonly origin: string;
  readonly asked: Asked[];
  readonly server: Server;
}

/** A real model server on loopback that notes what it was asked. */
export async function serveModel(
  answer: (asked: Asked, response: ServerResponse) => void,
): Promise<ModelServer> {
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
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
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

/**
 * Sends pieces as an event stream; strings go out as they are, values with their `type`, if any, as
 * the event.
 */
export function stream(response: ServerResponse, pieces: readonly unknown[], end = true): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const piece of pieces) {
    const type = (piece as { type?: string } | null)?.type;
    const frame = `${type ? `event: ${type}\n` : ""}data: ${JSON.stringify(piece)}\n\n`;
    response.write(typeof piece === "string" ? piece : frame);
  }
  if (end) response.end();
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

/** Returns the visible events of an answer; signs of life are left out. */
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
