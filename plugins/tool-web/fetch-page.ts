import type { Net, ToolRun } from "@gantry/sdk";
import { type BodyFacts, MAX_BYTES } from "./body.ts";

/** The answer of an address, as it came. */
export interface FetchedPage extends BodyFacts {
  /** After redirects. */
  readonly url: string;
  readonly status: number;
  readonly body: Uint8Array;
  /** True if only the beginning was read. */
  readonly cut: boolean;
}

export interface FetchOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Told how many bytes have come. */
  readonly progress?: ToolRun<unknown>["progress"];
}

/** One GET, its redirects judged like it. Throws `NET_*`. */
export async function fetchPage(
  net: Net,
  url: string,
  { signal, timeoutMs, progress }: FetchOptions,
): Promise<FetchedPage> {
  const response = await net.fetch({
    url,
    signal,
    timeoutMs,
    maxBytes: Number.MAX_SAFE_INTEGER,
    headers: {
      accept: "text/html,application/xhtml+xml,text/plain;q=0.9,application/json;q=0.9,*/*;q=0.5",
      "accept-encoding": "gzip",
      "user-agent": "Mozilla/5.0 (compatible; Gantry)",
    },
  });
  const { headers, status } = response;
  return {
    url: response.url,
    status,
    contentType: headers.get("content-type") ?? "",
    encoding: headers.get("content-encoding")?.trim().toLowerCase() || "identity",
    ...(await bodyOf(response, progress)),
  };
}

/** The beginning of the body; the rest is not waited for. */
async function bodyOf(
  { body, headers }: Response,
  progress: FetchOptions["progress"],
): Promise<Pick<FetchedPage, "body" | "cut">> {
  const length = Number(headers.get("content-length") ?? Number.NaN);
  const total = length > 0 ? { total: Math.min(length, MAX_BYTES) } : {};
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    pieces.push(piece);
    bytes += piece.byteLength;
    progress?.({ done: Math.min(bytes, MAX_BYTES), ...total, text: "bytes" });
    if (bytes > MAX_BYTES) break;
  }
  return { body: Buffer.concat(pieces).subarray(0, MAX_BYTES), cut: bytes > MAX_BYTES };
}
