import { randomBytes, timingSafeEqual } from "node:crypto";
import { type IncomingMessage, type Server, type ServerResponse, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { type Duplex, pipeline } from "node:stream";
import { GantryError } from "../contract/errors.ts";
import type { Net } from "../tools/net.ts";

const MAX_CONNECTIONS = 128;
/** The number of refused addresses of one admission that are told. */
const MAX_TOLD = 100;
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

/** The challenge by which a client is asked for its name and word. */
const CHALLENGE = 'Basic realm="gantry"';
const STRANGER = "This proxy serves only what the service started.";

export interface CheckedProxy {
  readonly port: number;
  /** Lets somebody in: with this address, which holds a credential, until it is taken back. */
  admit(rules?: ProxyRules): Admission;
  close(): Promise<void>;
}

export interface ProxyRules {
  /** Instead of `security.allowed_domains`. */
  readonly domains?: readonly string[];
  /** Told what was refused, and why; each address once. */
  refused?(address: string, why: string): void;
}

export interface Admission {
  readonly url: string;
  withdraw(): void;
}

/** Opens a connection to a place that the client may reach. */
type Connect = (host: string, port: number) => Promise<Duplex>;

/**
 * Starts the one way out for started processes: CONNECT and plain HTTP on loopback, each connection
 * under the rules of `net`. `strangers`: a program without a credential is let in by these, as some
 * can be given none; undefined: no such program is.
 */
export async function startProxy(net: Pick<Net, "connect">, strangers?: ProxyRules): Promise<CheckedProxy> {
  const admitted = new Map<Buffer, Connect>();
  const ending = new AbortController();
  const connector = ({ domains, refused }: ProxyRules): Connect => {
    const told = new Set<string>();
    return async (host, port) => {
      try {
        return await net.connect(host, port, ending.signal, domains);
      } catch (error) {
        const address = `${host}:${port}`;
        if (isRefusal(error) && !told.has(address) && told.size < MAX_TOLD)
          refused?.(address, (error as Error).message);
        told.add(address);
        throw error;
      }
    };
  };
  const open = strangers && connector(strangers);
  const find = ({ headers }: IncomingMessage): Connect | undefined => {
    const given = Buffer.from(headers["proxy-authorization"] ?? "");
    const known = [...admitted].find(
      ([expected]) => given.length === expected.length && timingSafeEqual(given, expected),
    );
    return known?.[1] ?? open;
  };
  const server = createServer({ headersTimeout: 10_000 });
  server.maxConnections = MAX_CONNECTIONS;
  server.on("request", (from: IncomingMessage, to: ServerResponse) => {
    const connect = find(from);
    if (connect) void plain(connect, from, to);
    else answer(to, 407, STRANGER);
  });
  server.on("connect", (from: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on("error", () => client.destroy());
    const connect = find(from);
    if (connect) void tunnel(connect, from.url ?? "", client, head);
    else client.end(statusLine(407, STRANGER));
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    port,
    admit(rules = {}) {
      const credential = `gantry:${randomBytes(24).toString("base64url")}`;
      const key = Buffer.from(`Basic ${Buffer.from(credential).toString("base64")}`);
      admitted.set(key, connector(rules));
      return {
        url: `http://${credential}@127.0.0.1:${port}`,
        withdraw: () => void admitted.delete(key),
      };
    },
    close: () => close(server, ending),
  };
}

async function tunnel(connect: Connect, target: string, client: Duplex, head: Buffer): Promise<void> {
  const { host, port } = authority(target, 443);
  try {
    const server = await connect(host, port);
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) server.write(head);
    pipeline(client, server, client, () => [client, server].forEach((side) => side.destroy()));
  } catch (error) {
    client.end(statusLine(...problem(error)));
  }
}

async function plain(connect: Connect, from: IncomingMessage, to: ServerResponse): Promise<void> {
  try {
    const url = new URL(from.url ?? "");
    if (url.protocol !== "http:") return answer(to, 400, "Only http:// is served without CONNECT.");
    const { host, port } = authority(url.host, 80);
    const connection = await connect(host, port);
    const headers = { ...passed(from.headers), host: url.host, connection: "close" };
    const { method } = from;
    const outgoing = request({
      createConnection: () => connection,
      method,
      path: `${url.pathname}${url.search}`,
      headers,
    });
    const fail = (error: unknown): void => {
      connection.destroy();
      if (to.headersSent) to.destroy();
      else answer(to, ...problem(error));
    };
    outgoing.on("error", fail);
    outgoing.on("response", (response) => {
      // A server may say what no server can pass on, such as the status 000: thrown here, it would
      // end the service.
      try {
        to.writeHead(response.statusCode ?? 0, passed(response.headers));
      } catch (error) {
        return fail(error);
      }
      pipeline(response, to, () => connection.destroy());
    });
    // Instead of an answer it wants to go on in another protocol.
    outgoing.on("upgrade", () =>
      fail(new Error("The server answered with a protocol that was not asked for.")),
    );
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
  return [isRefusal(error) ? 403 : 502, error instanceof Error ? error.message : String(error)];
}

const isRefusal = (error: unknown): boolean => error instanceof GantryError && error.exit === 3;

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
