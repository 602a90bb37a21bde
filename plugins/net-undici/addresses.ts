import net, { isIP } from "node:net";
import { errors } from "./errors.ts";
import { exceptions } from "./exceptions.ts";

/**
 * Says why an address (IPv4 or IPv6, no brackets, no zone) must not be reached, or nothing. With
 * `port` it is one that was written as it is, which the owner may have excepted; without, one that
 * a name led to.
 */
export type AddressCheck = (address: string, port?: number) => string | undefined;

// Everything of IANA's special-purpose registries that is not globally reachable, and what clouds
// serve metadata on.
const special4: Readonly<Record<string, string>> = {
  "0.0.0.0/8": "this network",
  "10.0.0.0/8": "private",
  "100.64.0.0/10": "carrier-grade NAT",
  "127.0.0.0/8": "loopback",
  "168.63.129.16/32": "cloud metadata",
  "169.254.0.0/16": "link-local or cloud metadata",
  "172.16.0.0/12": "private",
  "192.0.0.0/24": "reserved",
  "192.0.2.0/24": "documentation",
  "192.88.99.0/24": "reserved",
  "192.168.0.0/16": "private",
  "198.18.0.0/15": "benchmarking",
  "198.51.100.0/24": "documentation",
  "203.0.113.0/24": "documentation",
  "224.0.0.0/4": "multicast",
  "240.0.0.0/4": "reserved",
};
const special6: Readonly<Record<string, string>> = {
  "64:ff9b:1::/48": "local NAT64",
  "2001::/23": "reserved, Teredo, benchmarking or ORCHID",
  "2001:db8::/32": "documentation",
  "2002::/16": "6to4",
  "3fff::/20": "documentation",
  "fc00::/7": "private or cloud metadata",
  "fe80::/10": "link-local",
  "ff00::/8": "multicast",
};
// Parts of 2001::/23 that are reachable for all.
const reachable6 = [
  "2001:1::1/128",
  "2001:1::2/128",
  "2001:1::3/128",
  "2001:3::/32",
  "2001:4:112::/48",
  "2001:20::/28",
  "2001:30::/28",
];

/**
 * The ranges that are always refused but for `excepted`, and the owner's own. Throws
 * `NET_BAD_RANGE`, `NET_BAD_EXCEPTION`.
 */
export function addressCheck(blocked: readonly string[], excepted: readonly string[] = []): AddressCheck {
  const own = blocked.length > 0 ? listOf(blocked) : undefined;
  const isExcepted = exceptions(excepted);
  let known: ReturnType<typeof specialLists> | undefined;
  return function check(address: string, port?: number): string | undefined {
    const { rows, reachable, unicast } = (known ??= specialLists());
    const family = isIP(address);
    if (family === 0 || address.includes("%")) return "it is not an address that all can reach";
    const kind = family === 4 ? "ipv4" : "ipv6";
    if (own?.check(address, kind)) return "it is in security.blocked_ips";
    if (port !== undefined && isExcepted(address, port)) return undefined;
    const embedded = family === 6 ? embeddedIn(address) : undefined;
    if (embedded !== undefined) return check(embedded);
    if (family === 6 && reachable.check(address, kind)) return undefined;
    const row = rows.find(({ list }) => list.check(address, kind));
    if (row) return `it is a special address (${row.why})`;
    return family === 6 && !unicast.check(address, kind)
      ? "it is a special address (not global unicast)"
      : undefined;
  };
}

/** Built on the first check: many commands never reach out. */
function specialLists(): {
  rows: { list: net.BlockList; why: string }[];
  reachable: net.BlockList;
  unicast: net.BlockList;
} {
  const rows = [...Object.entries(special4), ...Object.entries(special6)].map(([range, why]) => ({
    list: listOf([range]),
    why,
  }));
  return { rows, reachable: listOf(reachable6), unicast: listOf(["2000::/3"]) };
}

/**
 * The IPv4 address inside an IPv4-mapped or a well-known NAT64 address: it says where the packets
 * go.
 */
function embeddedIn(address: string): string | undefined {
  const words = wordsOf(address);
  const head = words
    .slice(0, 6)
    .map((word) => word.toString(16))
    .join(":");
  if (head !== "0:0:0:0:0:ffff" && head !== "64:ff9b:0:0:0:0") return undefined;
  const [high = 0, low = 0] = words.slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

function wordsOf(address: string): number[] {
  // The URL parser writes every form of an IPv6 address in one way.
  const [left = "", right = ""] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const [before = [], after = []] = [left, right].map((half) => half.split(":").filter(Boolean));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].map((word) => Number.parseInt(word, 16));
}

function listOf(ranges: readonly string[]): net.BlockList {
  // Node loads it when it is named, which most commands never need.
  const list = new net.BlockList();
  for (const range of ranges) {
    const [address = "", bits, ...more] = range.trim().split("/");
    const family = isIP(address);
    const widest = family === 4 ? 32 : 128;
    const prefix = bits === undefined ? widest : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
    if (family === 0 || more.length > 0 || !(prefix <= widest) || address.includes("%"))
      throw errors.NET_BAD_RANGE(range);
    list.addSubnet(address, prefix, family === 4 ? "ipv4" : "ipv6");
  }
  return list;
}
