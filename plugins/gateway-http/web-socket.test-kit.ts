import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import {
  definePlugin,
  Routes,
  type Plugin,
  type Route,
  type RouteRequest,
  type RouteSocket,
} from "@gantry/sdk";
import { fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { WebSocket } from "ws";
import { startGateway, type TestGateway } from "./gateway.test-kit.ts";

/** The plugin's half of a WebSocket. */
export type Work = (socket: RouteSocket, request: RouteRequest) => ReturnType<SocketHalf>;
type SocketHalf = Extract<Awaited<ReturnType<Route["handle"]>>, { webSocket: unknown }>["webSocket"];

/** Makes a plugin with a WebSocket at `/live`, open to all unless `more` says otherwise. */
export function liveRoute(work: Work, more: Partial<Route> = {}): Plugin {
  const route = {
    name: "GET /live",
    method: "GET",
    path: "/live",
    auth: "none",
    perMinute: Number.POSITIVE_INFINITY,
    summary: "s",
    handle: async (request) => ({ status: 101, webSocket: (socket) => work(socket, request) }),
    ...more,
  } as Route;
  const plain: Route = { ...route, name: "GET /plain", path: "/plain", handle: async () => said };
  return definePlugin({
    name: "live",
    provides: [Routes],
    setup(host) {
      host.provide(Routes, route);
      host.provide(Routes, plain);
    },
  });
}

const said = { status: 200, text: "plain words" } as const;

export function startLive(work: Work, more?: Partial<Route>, gateway: object = {}): Promise<TestGateway> {
  return startGateway({ plugins: [memoryStore(), fakeProvider([]), liveRoute(work, more)], gateway });
}

/** Sends back what comes. */
export const echo: Work = async (socket) => {
  for await (const message of socket.messages) await socket.send(message);
};

export interface Client {
  readonly ws: WebSocket;
  /** Returns the next message, as text. */
  next(): Promise<string>;
  readonly closed: Promise<readonly [code: number, reason: string]>;
}

type Options = ConstructorParameters<typeof WebSocket>[2];

/** Opens a WebSocket; rejects with the status and body of a refusal. */
export async function open(
  gateway: TestGateway,
  path: string = "/live",
  protocols: string[] = [],
  options: Options = {},
): Promise<Client> {
  const ws = new WebSocket(`${gateway.url.replace("http", "ws")}${path}`, protocols, options);
  const closed = once(ws, "close").then(([code, reason]) => [code, String(reason)] as const);
  const messages: string[] = [];
  ws.on("message", (data) => {
    messages.push(String(data));
    ws.emit("kept");
  });
  const refused = new Promise<never>((_, reject) => {
    ws.once("unexpected-response", (_request, response: IncomingMessage) => {
      void textOf(response).then((text) => reject(new Error(`${response.statusCode} ${text}`)));
    });
  });
  ws.on("error", () => {});
  await Promise.race([once(ws, "open"), refused]);
  const next = async (): Promise<string> => {
    while (messages.length === 0) await once(ws, "kept");
    return messages.shift() as string;
  };
  return { ws, next, closed };
}

export const handshake = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
} as const;

async function textOf(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of response.setEncoding("utf8")) text += piece;
  return text;
}

/** Sends a handshake of these headers; resolves with the status and body of the answer, or 101. */
export async function shake(
  gateway: TestGateway,
  path: string,
  headers: Readonly<Record<string, string>>,
  method: string = "GET",
  body?: string,
): Promise<readonly [status: number, text: string, headers: IncomingMessage["headers"]]> {
  const request = httpRequest(`${gateway.url}${path}`, { method, headers, agent: false });
  request.end(body);
  const upgraded = once(request, "upgrade").then(([response, socket]) => {
    socket.destroy();
    return [101, "", (response as IncomingMessage).headers] as const;
  });
  const answered = once(request, "response").then(async ([response]) => {
    const message = response as IncomingMessage;
    return [message.statusCode ?? 0, await textOf(message), message.headers] as const;
  });
  return Promise.race([upgraded, answered]);
}
