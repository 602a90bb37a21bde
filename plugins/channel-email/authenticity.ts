import type { MailHead } from "./mail-head.ts";
import { readStructured } from "./structured-header.ts";

/** One result of Authentication-Results: `dmarc=pass header.from=example.com`. */
interface Result {
  readonly method: string;
  readonly version: string;
  readonly result: string;
  /** Values by names such as `header.from`, in small letters. */
  readonly properties: readonly (readonly [name: string, value: string])[];
}

const methodForm = /\s*([a-z][\w-]*)(?:\s*\/\s*(\d+))?\s*=\s*([a-z][\w-]*)(?=\s|$)/iy;
/** `header.from=example.com`, `reason="…"`, and words of some servers such as `x-bits=1024`. */
const propertyForm = /\s+((?:[a-z][\w-]*\s*\.\s*)?[a-z][\w-]*)\s*=\s*((?:"\d+"|[^\s"])+)(?=\s|$)/iy;
const nameForm = /^\s*("\d+"|[^\s"]+)\s*(\d+\s*)?$/;

/**
 * Returns true if the mail server of this name says that the sender's domain vouches for the mail:
 * its topmost Authentication-Results (RFC 8601) can be read as a whole and holds exactly one dmarc
 * result, which is `pass` for just that domain. Headers further down may have come with the mail.
 */
export function isVouchedFor(head: Pick<MailHead, "from" | "all">, authservId: string): boolean {
  const domain = head.from?.address.split("@")[1];
  for (const value of head.all("authentication-results")) {
    const header = readHeader(value);
    // A header that cannot be read may be the server's own, and those below it forged.
    if (header === undefined || domain === undefined) return false;
    if (header.server !== authservId) continue;
    const vouching = header.results.filter(({ method }) => method === "dmarc");
    return vouching.length === 1 && vouching.every((result) => isPassFor(result, domain));
  }
  return false;
}

/** Returns whose Authentication-Results stand topmost; undefined if these cannot be read. */
export function topmostServer(head: Pick<MailHead, "all">): string | undefined {
  const [topmost] = head.all("authentication-results");
  return topmost === undefined ? undefined : readHeader(topmost)?.server;
}

function isPassFor({ version, result, properties }: Result, domain: string): boolean {
  const domains = properties.filter(([name]) => name === "header.from");
  const isPass = result === "pass" && (version === "" || Number(version) === 1);
  const [[, named = ""] = []] = domains;
  return isPass && domains.length === 1 && named.replace(/^.*@/s, "") === domain;
}

/** Reads whose header it is, and its results; undefined if any of it breaks the grammar. */
function readHeader(
  value: string,
): { readonly server: string; readonly results: readonly Result[] } | undefined {
  const header = readStructured(value);
  if (header === undefined) return undefined;
  const unquoted = (text: string): string =>
    text.replace(/"(\d+)"/g, (_, at) => header.quoted[Number(at)] ?? "").toLowerCase();
  const [name = "", ...texts] = header.text.split(";");
  const server = unquoted(name.trim().split(/\s+/)[0] ?? "");
  // Some servers end the last result as well.
  if (texts.at(-1)?.trim() === "") texts.pop();
  const read = texts.map((text) => readResult(text, unquoted));
  const results = read.filter((result) => result !== undefined);
  const isWhole = nameForm.test(name) && results.length === texts.length;
  return isWhole ? { server, results } : undefined;
}

function readResult(text: string, unquoted: (text: string) => string): Result | undefined {
  methodForm.lastIndex = 0;
  const [begun, method = "", version = "", result = ""] = methodForm.exec(text) ?? [];
  if (begun === undefined) return undefined;
  const properties: (readonly [string, string])[] = [];
  let end = begun.length;
  for (;;) {
    propertyForm.lastIndex = end;
    const [found, name = "", value = ""] = propertyForm.exec(text) ?? [];
    if (found === undefined) break;
    properties.push([name.replace(/\s+/g, "").toLowerCase(), unquoted(value)]);
    end += found.length;
  }
  // A second result without a semicolon before it is not a property.
  const isWhole = text.slice(end).trim() === "" && !properties.some(([name]) => name === "dmarc");
  const words = { method: method.toLowerCase(), version, result: result.toLowerCase() };
  return isWhole ? { ...words, properties } : undefined;
}
