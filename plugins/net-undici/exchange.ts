import type { Dispatcher } from "undici";
import type { NetRequest } from "@gantry/sdk";
import { errors } from "@gantry/sdk";
import { bodiless, webResponse } from "@gantry/sdk/node";
import { netFailure, printable, type Waits } from "./failure.ts";

/** Returns the times that a request may wait. */
export function waitsOf(request: NetRequest): Waits {
  return { connectMs: request.connectTimeoutMs ?? 10_000, answerMs: request.timeoutMs ?? 30_000 };
}

/**
 * One request and its answer over `dispatcher`, no redirect followed. `onEnd` is called once, when
 * the body has ended in any way.
 */
export async function exchange(
  dispatcher: Dispatcher,
  request: NetRequest,
  url: URL,
  onEnd: () => void = () => {},
): Promise<Response> {
  const { signal, maxBytes = 16 * 1024 * 1024 } = request;
  const waits = waitsOf(request);
  const fail = (error: unknown) => netFailure(error, url.href, waits, signal);
  try {
    if (signal.aborted) throw errors.NET_CANCELLED(printable(url.href));
    const { default: send } = await import("undici/lib/api/api-request.js");
    const answer = await send.call(dispatcher, {
      origin: url.origin,
      path: url.pathname + url.search,
      method: (request.method ?? "GET").toUpperCase() as Dispatcher.HttpMethod,
      headers: { ...request.headers },
      body: request.body ?? null,
      signal,
      headersTimeout: waits.answerMs,
      bodyTimeout: waits.answerMs,
    });
    const body = limited(answer.body, maxBytes, url.href, fail, onEnd);
    const { statusCode: status, headers } = answer;
    const response = webResponse({ status, headers, url: url.href, body });
    // A body that nobody can read is read here, so that the connection is free again.
    if (bodiless.has(status)) for await (const _ of body) continue;
    return response;
  } catch (error) {
    onEnd();
    throw fail(error);
  }
}

async function* limited(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  url: string,
  fail: (error: unknown) => Error,
  onEnd: () => void,
): AsyncGenerator<Uint8Array, void> {
  let bytes = 0;
  try {
    for await (const piece of body) {
      bytes += piece.byteLength;
      if (bytes > maxBytes) throw errors.NET_TOO_LARGE(printable(url), maxBytes);
      yield piece;
    }
  } catch (error) {
    throw fail(error);
  } finally {
    onEnd();
  }
}
