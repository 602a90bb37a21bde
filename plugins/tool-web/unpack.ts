import { constants, gunzipSync, inflateSync } from "node:zlib";
import { MAX_BYTES } from "./body.ts";

const OPTIONS = { maxOutputLength: MAX_BYTES * 2, finishFlush: constants.Z_SYNC_FLUSH };

/**
 * Returns undefined for what is not packed as its server says, is too large, or is packed in a way
 * that nobody asked for.
 */
export function unpack(body: Uint8Array, encoding: string): Uint8Array | undefined {
  try {
    if (encoding === "identity") return body;
    if (encoding === "gzip" || encoding === "x-gzip") return gunzipSync(body, OPTIONS);
    if (encoding === "deflate") return inflateSync(body, OPTIONS);
  } catch {
    return undefined;
  }
  return undefined;
}
