import { randomBytes, timingSafeEqual } from "node:crypto";
import { type IncomingMessage, type Server, type ServerResponse, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { type Duplex, pipeline } from "node:stream";
import { GantryError, type Net } from "@gantry/sdk";

const MAX_CONNECTIONS = 128;
/** Headers that belong to one connection only. */
const HOP_BY_HOP = [
  "connection",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** How a client says who it is. */
const CHALLENGE = 'Basic realm="gantry"';
const STRANGER = "This proxy serves only what the service started.";

export interface Proxy {
  readonly port: number;
  /** With the credential: nobody but started processes can use the proxy. */
  readonly url: string;
  close(): Promise<void>;
}

/** The one way out for started processes: CONNECT and plain HTTP on loopback, each connection under the rules of `net`. */
export async function startProxy(net: Pick<Net, "connect">): Promise<Proxy> {
  const credential = `gantry:${randomBytes(24).toString("base64url")}`;
  const expected = Buffer.from(`Basic ${Buffer.from(credential).toString("base64")}`);
  const ending = new AbortController();
  const known = ({ headers }: IncomingMessage): boolean => {
    const given = Buffer.from(headers["proxy-authorization"] ?? "");
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
  const server = createServer({ headersTimeout: 10_000 });
  server.maxConnections = MAX_CONNECTIONS;
  server.on("request", (from: IncomingMessage, to: ServerResponse) => {
    if (known(from)) void plain(net, from, to, ending.signal);
    else answer(to, 407, STRANGER);
  });
  server.on("connect", (from: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on("error", () => client.destroy());
    if (known(from)) void tunnel(net, from.url ?? "", client, head, ending.signal);
    else client.end(statusLine(407, STRANGER));
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://${credential}@127.0.0.1:${port}`, close: () => close(server, ending) };
}

async function tunnel(
  net: Pick<Net, "connect">,
  target: string,
  client: Duplex,
  head: Buffer,
  ending: AbortSignal,
): Promise<void> {
  const { host, port } = authority(target, 443);
  try {
    const server = await net.connect(host, port, ending);
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) server.write(head);
    pipeline(client, server, client, () => [client, server].forEach((side) => side.destroy()));
  } catch (error) {
    client.end(statusLine(...problem(error)));
  }
}

async function plain(
  net: Pick<Net, "connect">,
  from: IncomingMessage,
  to: ServerResponse,
  ending: AbortSignal,
): Promise<void> {
  try {
    const url = new URL(from.url ?? "");
    if (url.protocol !== "http:") return answer(to, 400, "Only http:// is served without CONNECT.");
    const { host, port } = authority(url.host, 80);
    const connection = await net.connect(host, port, ending);
    const headers = { ...passed(from.headers), host: url.host, connection: "close" };
    const { method } = from;
    const outgoing = request({
      createConnection: () => connection,
      method,
      path: `${url.pathname}${url.search}`,
      headers,
    });
    outgoing.on("error", (error) => (to.headersSent ? to.destroy() : answer(to, ...problem(error))));
    outgoing.on("response", (response) => {
      to.writeHead(response.statusCode ?? 502, passed(response.headers));
      pipeline(response, to, () => connection.destroy());
    });
    to.on("close", () => connection.destroy());
    pipeline(from, outgoing, () => undefined);
  } catch (error) {
    answer(to, ...problem(error));
  }
}

/** `host:port`; an IPv6 address stands in brackets. */
function authority(text: string, defaultPort: number): { readonly host: string; readonly port: number } {
  const [, bracketed, name, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  return { host: bracketed ?? name ?? "", port: Number(port ?? defaultPort) };
}

function passed<T extends NodeJS.Dict<string | string[]>>(headers: T): NodeJS.Dict<string | string[]> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name)));
}

function problem(error: unknown): [status: number, text: string] {
  const blocked = error instanceof GantryError && error.exit === 3;
  return [blocked ? 403 : 502, error instanceof Error ? error.message : String(error)];
}

function answer(to: ServerResponse, status: number, text: string): void {
  const asks = status === 407 ? { "proxy-authenticate": CHALLENGE } : {};
  to.writeHead(status, { "content-type": "text/plain", connection: "close", ...asks }).end(`${text}\n`);
}

function statusLine(status: number, text: string): string {
  const asks = status === 407 ? `proxy-authenticate: ${CHALLENGE}\r\n` : "";
  return `HTTP/1.1 ${status} Refused\r\ncontent-type: text/plain\r\n${asks}connection: close\r\n\r\n${text}\n`;
}

async function close(server: Server, ending: AbortController): Promise<void> {
  ending.abort();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
