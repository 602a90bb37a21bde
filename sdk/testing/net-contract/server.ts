import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ServerOf {
  /** With the name that the subject knows it by. */
  readonly url: string;
  readonly port: number;
  /** `GET /hello`, in order. */
  readonly asked: readonly string[];
}

/**
 * Runs `work` beside a real server on a free port of loopback: `/hello`, `/echo`, `/to?<address>`,
 * `/many`, `/slow` and `/never`.
 */
export async function withServer(name: string, work: (server: ServerOf) => Promise<void>): Promise<void> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    void answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    await work({ url: `http://${name}:${port}`, port, asked });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, search } = new URL(request.url ?? "/", "http://server.test");
  if (pathname === "/never") return;
  if (pathname === "/slow") return void response.writeHead(200).write("first");
  if (pathname === "/many") return void response.end("x".repeat(200_000));
  if (pathname === "/to")
    return void response.writeHead(302, { location: decodeURIComponent(search.slice(1)) }).end();
  if (pathname === "/hello") return void response.end("hello");
  let body = "";
  for await (const piece of request) body += String(piece);
  response.writeHead(201, { "x-key": String(request.headers["x-key"]) });
  response.end(`${request.method} ${body}`);
}

/** Throws if the work does not fail with such a code, or its sentence holds a secret. */
export async function codedAs(prefix: string, work: Promise<unknown>, what: string): Promise<void> {
  const { code, message = "" } = await work.then(
    () => ({}) as { code?: string; message?: string },
    (error: { code?: string; message?: string }) => error,
  );
  assert.ok(code?.startsWith(prefix), `${what}: an error whose code begins with ${prefix}, not ${code}`);
  assert.ok(!message.includes("s3cret"), `${what}: a sentence without a secret, not ${message}`);
}
