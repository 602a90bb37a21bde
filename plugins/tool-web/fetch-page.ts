import { promisify } from "node:util";
import { constants, gunzip, inflate } from "node:zlib";
import type { Net } from "@gantry/sdk";
import { charsetOf, decoded } from "./charset.ts";
import { errors } from "./errors.ts";

/** More of a page is not read. */
const MAX_BYTES = 4 * 1024 * 1024;
/** The name of an encoding is whatever a server sends. */
const SHOWN_ENCODING = 40;

/** What an address answered, as text. */
export interface FetchedPage {
  /** After redirects. */
  readonly url: string;
  readonly status: number;
  /** Lower case, without parameters; empty where it was not said. */
  readonly type: string;
  readonly text: string;
  /** True where only the beginning was read. */
  readonly cut: boolean;
}

/** One GET, its redirects judged like it. Throws `NET_*`, `WEB_NOT_TEXT` and `WEB_GARBLED`. */
export async function fetchPage(
  net: Net,
  url: string,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
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
  const header = response.headers.get("content-type") ?? "";
  const type = header.split(";")[0]!.trim().toLowerCase();
  const { data, cut } = await bodyOf(response);
  const unpacked = await unpack(data, response);
  if (!isText(type, unpacked)) throw errors.WEB_NOT_TEXT(response.url, type || "no text");
  const text = decoded(unpacked.subarray(0, MAX_BYTES), charsetOf(header, unpacked));
  return { url: response.url, status: response.status, type, text, cut: cut || unpacked.length > MAX_BYTES };
}

/** The beginning of the body; the rest is not waited for. */
async function bodyOf({ body }: Response): Promise<{ readonly data: Buffer; readonly cut: boolean }> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    pieces.push(piece);
    bytes += piece.byteLength;
    if (bytes > MAX_BYTES) break;
  }
  return { data: Buffer.concat(pieces).subarray(0, MAX_BYTES), cut: bytes > MAX_BYTES };
}

/** Brotli is never decoded: a Node below its floor runs the code of whoever packed the body. */
async function unpack(data: Buffer, { headers, url }: Response): Promise<Buffer> {
  const encoding = (headers.get("content-encoding") ?? "identity").trim().toLowerCase();
  const options = { maxOutputLength: MAX_BYTES * 2, finishFlush: constants.Z_SYNC_FLUSH };
  try {
    if (encoding === "identity" || encoding === "") return data;
    if (encoding === "gzip" || encoding === "x-gzip") return await promisify(gunzip)(data, options);
    if (encoding === "deflate") return await promisify(inflate)(data, options);
  } catch {
    throw errors.WEB_GARBLED(url, `broken ${encoding}, or more than ${(MAX_BYTES * 2) / 2 ** 20} MiB of it`);
  }
  const shown = encoding.slice(0, SHOWN_ENCODING);
  throw errors.WEB_GARBLED(url, `it is packed as ${shown}, which was not asked for and is not decoded`);
}

function isText(type: string, data: Uint8Array): boolean {
  if (/^text\/|[/+](?:xml|json|ld\+json|yaml|x-yaml|javascript|ecmascript|x-ndjson|toml)$/.test(type))
    return true;
  return (type === "" || type === "application/octet-stream") && !data.subarray(0, 8_192).includes(0);
}
