import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import { errors } from "./errors.ts";

/** True for a host name or address that the owner lists. */
export type DomainCheck = (host: string) => boolean;

/**
 * `example.com` is that name alone, `*.example.com` every name beneath it and not itself, `*`
 * everything; an address stands for itself. Throws `NET_BAD_DOMAIN`.
 */
export function domainCheck(allowed: readonly string[]): DomainCheck {
  const exact = new Set<string>();
  const beneath = new Set<string>();
  let all = false;
  for (const entry of allowed) {
    const text = entry.trim();
    if (text === "*") all = true;
    else if (text.startsWith("*.")) beneath.add(nameOf(text.slice(2), entry));
    else exact.add(nameOf(text, entry));
  }
  return (host) => {
    if (all || exact.has(host)) return true;
    for (let dot = host.indexOf("."); dot >= 0; dot = host.indexOf(".", dot + 1))
      if (beneath.has(host.slice(dot + 1))) return true;
    return false;
  };
}

function nameOf(text: string, entry: string): string {
  const bare = text.replace(/^\[(.*)\]$/, "$1");
  if (isIP(bare) === 6) return new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const name = /[\s/:@?#*]/.test(text) ? "" : domainToASCII(text.replace(/\.$/, "")).toLowerCase();
  if (name === "" || name.split(".").includes("")) throw errors.NET_BAD_DOMAIN(entry);
  return name;
}
