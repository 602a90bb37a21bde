import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Loopback, LoopbackVisit } from "@gantry/sdk/fill";
import { errors } from "@gantry/sdk";

const HOST = "127.0.0.1";
const page = (text: string): string => `<!doctype html><meta charset=utf-8><title>Gantry</title><p>${text}`;
const PAGES: Readonly<Record<number, string>> = {
  200: page("Received. You can close this window and go back to the terminal."),
  400: page("This is not the login that the terminal waits for: open the address that it shows."),
};

/** Waits for the one request with which a browser ends a login. */
export const loopback: Loopback = { receiveOnce };

async function receiveOnce(
  path: string,
  isIt: (query: URLSearchParams) => boolean,
  signal: AbortSignal,
): Promise<LoopbackVisit> {
  signal.throwIfAborted();
  const { createServer } = await import("node:http");
  const visit = Promise.withResolvers<URLSearchParams>();
  visit.promise.catch(() => undefined);
  const server = createServer((request, response) => {
    const query = readVisit(request, path, authority());
    const isLogin = query !== undefined && isIt(query);
    answer(response, isLogin ? 200 : query ? 400 : 404);
    if (isLogin) response.once("close", () => visit.resolve(query));
  });
  const authority = (): string => `${HOST}:${(server.address() as AddressInfo).port}`;
  server.requestTimeout = 10_000;
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, HOST, resolve));

  const redirectUri = `http://${authority()}${path}`;
  const close = async (): Promise<void> => {
    visit.reject(errors.NET_CANCELLED(redirectUri));
    if (!server.listening) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const stop = (): void => void close();
  signal.addEventListener("abort", stop, { once: true });
  server.once("close", () => signal.removeEventListener("abort", stop));
  return { redirectUri, wait: () => visit.promise.finally(close), close };
}

/**
 * A page that got here by another name, or that sends anything but the one GET, is not the login.
 */
function readVisit(request: IncomingMessage, path: string, authority: string): URLSearchParams | undefined {
  const url =
    request.method === "GET" && request.headers.host === authority
      ? URL.parse(request.url ?? "", `http://${authority}`)
      : null;
  return url?.pathname === path ? url.searchParams : undefined;
}

function answer(response: ServerResponse, status: number): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    connection: "close",
  });
  response.end(PAGES[status] ?? "");
}
