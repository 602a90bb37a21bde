import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";

/** A real server on a free port of loopback, gone at the end of its scope. */
export async function serve(
  listener: RequestListener,
): Promise<{ url: string; port: number; server: Server } & AsyncDisposable> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    server,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

/**
 * An HTTP proxy (plain and CONNECT) that notes what it was asked for and sends everything on to
 * `target`.
 */
export async function proxyTo(target: number, status = 200) {
  const seen: { line: string; auth: string | undefined }[] = [];
  const sockets = new Set<Socket>();
  const proxy = await serve((request, response) => {
    seen.push({ line: `${request.method} ${request.url}`, auth: request.headers["proxy-authorization"] });
    response.end("through the proxy");
  });
  proxy.server.on("connect", (request: IncomingMessage, client: Socket) => {
    seen.push({ line: `CONNECT ${request.url}`, auth: request.headers["proxy-authorization"] });
    if (status !== 200) return void client.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const on = connect(target, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      on.pipe(client).pipe(on);
    });
    for (const socket of [client, on]) sockets.add(socket.on("error", () => {}));
  });
  const dispose = proxy[Symbol.asyncDispose].bind(proxy);
  return {
    ...proxy,
    seen,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await dispose();
    },
  };
}
