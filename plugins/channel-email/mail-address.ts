/** Most characters of an address as a whole (RFC 5321). */
const maxLength = 254;
const form = /^([^\s@<>()[\]\\,;:"\p{Cc}]{1,64})@([^\s@<>()[\]\\,;:"\p{Cc}]+)$/u;

/**
 * Returns an address in small letters, a domain of other scripts in its ASCII form; undefined if
 * the text is not an address.
 */
export function readAddress(text: string): string | undefined {
  const [, local = "", domain = ""] = form.exec(text.trim()) ?? [];
  const host =
    domain.includes(".") || domain === "localhost" ? URL.parse(`http://${domain}`)?.host : undefined;
  if (host === undefined || !/^[a-z0-9.-]+$/.test(host)) return undefined;
  const address = `${local.toLowerCase()}@${host}`;
  return address.length > maxLength ? undefined : address;
}

/** Returns an entry of an allowlist as {@link matchesAddress} takes it. */
export function readEntry(entry: string): string {
  if (!entry.startsWith("@")) return readAddress(entry) ?? entry.toLowerCase();
  return readAddress(`x${entry}`)?.slice(1) ?? entry.toLowerCase();
}

/**
 * Returns true if an entry means this address: `@example.com` is that domain alone, not those below
 * it.
 */
export function matchesAddress(entry: string, address: string): boolean {
  return entry.startsWith("@") ? address.endsWith(entry) : entry === address;
}
