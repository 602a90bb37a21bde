import { isIP } from "node:net";
import { errors, type GantryError } from "@gantry/sdk";
import type { AddressCheck } from "./addresses.ts";
import type { DomainCheck } from "./domains.ts";
import { printable } from "./failure.ts";

/** All addresses of a name; throws or gives none where it has none. */
export type Lookup = (host: string) => Promise<readonly string[]>;

export interface Rules {
  readonly domains: DomainCheck;
  /** The check that the request itself brings. */
  readonly own?: DomainCheck | undefined;
  readonly addresses: AddressCheck;
  readonly lookup: Lookup;
}

/** An address that passed, and the only addresses that may be connected to for it. */
export interface Cleared {
  readonly host: string;
  readonly addresses: readonly string[];
}

const localNames =
  /(^|\.)(localhost|local|internal|intranet|lan|home|corp|private|localdomain|home\.arpa|test|invalid|onion)$/;

/** The URL as it will be requested; throws `NET_BAD_URL` and `NET_BLOCKED`. */
export function readUrl(text: string): URL {
  // The parser drops blanks and tabs in silence and takes \ for /, so that what was read is not
  // what was meant.
  const url = /[\s\\\p{Cc}\p{Cf}]/u.test(text) ? null : URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:") || url.hostname === "")
    throw errors.NET_BAD_URL(printable(text));
  if (/^[a-z]+:\/\/[^/?#]*@/i.test(text))
    throw errors.NET_BLOCKED(printable(text), "an address for tools holds no user name or password");
  return url;
}

/** The port that a request to a URL goes to. */
export function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === "https:" ? 443 : 80));
}

/**
 * Checks a host by name, and then every address that it has; throws `NET_BLOCKED` and
 * `NET_REFUSED`.
 */
export async function clear(written: string, port: number, where: string, rules: Rules): Promise<Cleared> {
  const blocked = (why: string): GantryError => errors.NET_BLOCKED(where, why);
  const host = written
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
  const literal = isIP(host) !== 0;
  const special = literal ? rules.addresses(host, port) : nameTrouble(host);
  if (special !== undefined) throw blocked(special);
  if (!rules.domains(host)) throw blocked("it is not in security.allowed_domains");
  if (rules.own?.(host) === false) throw blocked("it is none of the domains of this request");
  if (literal) return { host, addresses: [host] };
  const addresses = await rules.lookup(host).catch((error: unknown) => {
    throw errors.NET_REFUSED(
      where,
      `its name cannot be looked up (${(error as NodeJS.ErrnoException).code ?? "no answer"})`,
    );
  });
  if (addresses.length === 0) throw blocked("its name has no address");
  for (const address of addresses) {
    const why = rules.addresses(address);
    if (why !== undefined) throw blocked(`its name leads to ${address}: ${why}`);
  }
  return { host, addresses };
}

function nameTrouble(host: string): string | undefined {
  if (host.length > 253 || !/^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/.test(host))
    return "it is not a host name";
  if (!host.includes(".") || localNames.test(host)) return "it is a local name";
  // A name that ends in a number is an address that somebody else may read in another way.
  return /(^|\.)(\d+|0x[0-9a-f]*)$/.test(host) ? "it is an address in another notation" : undefined;
}
