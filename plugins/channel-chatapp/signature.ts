import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** Compares two texts in a time that says nothing of either. */
export function same(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Returns true if `header` is `sha256=<hex HMAC-SHA256(secret, raw body)>`. */
export function isSigned(rawBody: Uint8Array, header: unknown, secret: string): boolean {
  const [, hex] = typeof header === "string" ? (/^sha256=([0-9a-f]{64})$/i.exec(header) ?? []) : [];
  return (
    hex !== undefined &&
    timingSafeEqual(Buffer.from(hex, "hex"), createHmac("sha256", secret).update(rawBody).digest())
  );
}
