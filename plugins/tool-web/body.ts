import { charsetOf } from "./charset.ts";

/** More of a page is not read. */
export const MAX_BYTES = 4 * 1024 * 1024;
/** In characters: more than the text of a page that says each thing once can hold. */
export const MAX_TEXT = 4 * 1024 * 1024;

/** Facts about the bytes of an answer. */
export interface BodyFacts {
  /** The header `content-type`; empty if there is none. */
  readonly contentType: string;
  /** In small letters: `identity`, `gzip`. */
  readonly encoding: string;
}

/** In small letters, without parameters. */
export function typeOf({ contentType }: BodyFacts): string {
  return contentType.split(";")[0]!.trim().toLowerCase();
}

/** `data` is the body as it is unpacked. */
export function isText(type: string, data: Uint8Array): boolean {
  if (/^text\/|[/+](?:xml|json|ld\+json|yaml|x-yaml|javascript|ecmascript|x-ndjson|toml)$/.test(type))
    return true;
  return (type === "" || type === "application/octet-stream") && !data.subarray(0, 8_192).includes(0);
}

export function isPage(type: string, text: string): boolean {
  return /html/.test(type) || (type === "" && /^\s*(?:<!doctype html|<html)/i.test(text));
}

/**
 * Returns the text of a body in which there is nothing to unpack or to parse: plain UTF-8. Else
 * undefined.
 */
export function plainText(facts: BodyFacts, body: Uint8Array): string | undefined {
  const type = typeOf(facts);
  if (facts.encoding !== "identity" || !isText(type, body)) return undefined;
  if (charsetOf(facts.contentType, body).toLowerCase() !== "utf-8") return undefined;
  const text = new TextDecoder().decode(body);
  return isPage(type, text) ? undefined : text;
}
