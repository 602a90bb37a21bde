import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";
import { errors } from "./errors.ts";

/**
 * Tells whether an address is one of `entries`: addresses and CIDR ranges. Throws
 * GATEWAY_BAD_PROXY.
 */
export function addressList(entries: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = "", bits, ...rest] = entry.split("/");
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    const most = family === "ipv4" ? 32 : 128;
    const wrong =
      isIP(address) === 0 ||
      rest.length > 0 ||
      (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most));
    if (wrong) throw errors.GATEWAY_BAD_PROXY(entry);
    list.addSubnet(address, bits === undefined ? most : Number(bits), family);
  }
  if (entries.length === 0) return () => false;
  return (address) =>
    address !== undefined && isIP(address) !== 0 && list.check(address, isIPv4(address) ? "ipv4" : "ipv6");
}

const loopback = addressList(["127.0.0.0/8", "::1"]);

/** Returns true for addresses of this machine, and for the name `localhost`. */
export function isLoopback(host: string): boolean {
  return host.toLowerCase() === "localhost" || loopback(host.replace(/^\[|\]$/g, ""));
}

/**
 * Returns the key of one client to the limits: an IPv4 address, or the /64 that an IPv6 client can
 * choose its address from. Some proxies forward the port too, which a client changes at will. All
 * that is not an address is one client together, as are those who have left already and have none.
 */
export function peerKey(address: string = ""): string {
  const bare = address.replace(/^\[(.*)\](?::\d+)?$/, "$1").replace(/^([\d.]+):\d+$/, "$1");
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare);
  if (mapped?.[1]) return mapped[1];
  if (!isIPv6(bare)) return isIPv4(bare) ? bare : "unknown";
  const [head = "", tail] = bare.toLowerCase().replace(/%.*/, "").split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const groups = [
    ...left,
    ...Array.from<string>({ length: Math.max(0, 8 - left.length - right.length) }).fill("0"),
    ...right,
  ];
  const prefix = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${prefix.join(":")}::/64`;
}
