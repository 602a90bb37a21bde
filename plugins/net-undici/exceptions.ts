import { isIP } from "node:net";
import { errors } from "./errors.ts";

// Addresses at which clouds serve credentials to whoever asks from inside; all of 169.254.0.0/16 is
// judged by its first characters.
const metadata = new Set([
  "168.63.129.16",
  "100.100.100.200",
  "192.0.0.192",
  "fd00:ec2::254",
  "fd20:ce::254",
  "fd00:42::42",
]);

/**
 * True for an address and port that the owner excepts from the refusal of special addresses:
 * `127.0.0.1:5173` is that port alone, `192.168.1.20` every port, `[fd12::1]:8080` an IPv6 address
 * with a port. Throws `NET_BAD_EXCEPTION`.
 */
export function exceptions(entries: readonly string[]): (address: string, port: number) => boolean {
  const known = new Set(entries.map(keyOf));
  return (address, port) => {
    const written = canonical(address);
    return known.has(written) || known.has(`${written} ${port}`);
  };
}

function keyOf(entry: string): string {
  const text = entry.trim();
  const [, inBrackets, plain, digits] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const address = isIP(text) === 6 ? text : (inBrackets ?? plain ?? "");
  const port = isIP(text) === 6 || digits === undefined ? undefined : Number(digits);
  const isWrong =
    isIP(address) === 0 || address.includes("%") || (isIP(address) === 4 && inBrackets !== undefined);
  if (isWrong || port === 0 || (port ?? 1) > 65_535) throw errors.NET_BAD_EXCEPTION(entry, "is no address");
  const written = canonical(address);
  if (metadata.has(written) || /^(169\.254\.|fe[89ab])/.test(written) || /^(::ffff:|64:ff9b:)/.test(written))
    throw errors.NET_BAD_EXCEPTION(entry, "can serve a cloud's credentials or hide an IPv4 address");
  return port === undefined ? written : `${written} ${port}`;
}

/** The URL parser writes every form of an IPv6 address in one way. */
function canonical(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
}
