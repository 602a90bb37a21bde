import { wildcards } from "@gantry/sdk/node";
import type { Wildcard } from "@gantry/sdk/node";

interface UrlPattern {
  readonly scheme: string;
  readonly host: string;
  readonly port: string;
  /** With what follows it; undefined for every path. */
  readonly path: string | undefined;
}

/** True for a pattern of whole addresses rather than of hosts. */
export function isUrlPattern(pattern: string): boolean {
  return /^[a-z*][\w+.*-]*:\/\//i.test(pattern);
}

/** Returns scheme, host, port and path; undefined if the pattern names no one host or domain. */
export function urlPattern(pattern: string): UrlPattern | undefined {
  const [, scheme = "", host = "", port = "", path] =
    /^([a-z][a-z0-9+.-]*|\*):\/\/(\[[\da-f:.]+\]|[^/?#@:[\]\\\s]+)(?::(\d+|\*))?(\/.*)?$/is.exec(pattern) ??
    [];
  // `https://example.com*` is meant for what lies on that host.
  if (host === "" || (host.endsWith("*") && host !== "*")) return undefined;
  return { scheme, host, port, path };
}

/**
 * `example.com`, or `*.example.com` for all below it, or a whole address with `*` in it. No `*`
 * reaches from one part of an address into the next; in a host only a leading one crosses dots.
 */
export function coversUrl(pattern: string, url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, username, password, hostname, port, pathname, search, hash } = new URL(url);
  if (!isUrlPattern(pattern)) return coversHost(pattern, hostname);
  const wanted = urlPattern(pattern);
  return (
    wanted !== undefined &&
    username + password === "" &&
    (wanted.scheme === "*" || `${wanted.scheme.toLowerCase()}:` === protocol) &&
    coversHost(wanted.host, hostname) &&
    (wanted.port === "*" || wanted.port === port) &&
    (wanted.path === undefined || fits(wanted.path, pathname + search + hash))
  );
}

function coversHost(pattern: string, hostname: string): boolean {
  const [, star = "", rest = ""] = /^(\*+(?=\.|$))?(.*)$/s.exec(pattern.toLowerCase()) ?? [];
  return fits(rest, hostname, ".", star === "" ? [] : [{ any: "many" }]);
}

/** A `*` stands for any signs but `separator`. */
function fits(pattern: string, text: string, separator?: string, before: readonly Wildcard[] = []): boolean {
  const many: Wildcard = separator === undefined ? { any: "many" } : { any: "many", but: separator };
  const steps = Array.from(pattern, (sign): Wildcard => (sign === "*" ? many : { sign }));
  return wildcards([...before, ...steps])(text);
}
