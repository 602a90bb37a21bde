import net, { isIP } from "node:net";

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy that the environment sets for `url` (`https_proxy`, `http_proxy`, `no_proxy`, in either
 * case), or undefined.
 */
export function proxyFor(url: URL, env: Environment): string | undefined {
  const secure = url.protocol === "https:" || url.protocol === "wss:";
  const proxy = (secure && either(env, "https_proxy")) || (!secure && either(env, "http_proxy")) || undefined;
  if (!proxy || bypassed(url, secure ? "443" : "80", either(env, "no_proxy") ?? "")) return undefined;
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}

function either(env: Environment, name: string): string | undefined {
  return env[name] || env[name.toUpperCase()] || undefined;
}

/**
 * An entry is `*`, a domain (with all beneath it), an address or a range of addresses; each may end
 * in `:port`.
 */
function bypassed(url: URL, usualPort: string, list: string): boolean {
  const host = url.hostname.replace(/^\[|\]$|\.$/g, "").toLowerCase();
  const port = url.port || usualPort;
  return list.split(/[\s,]+/).some((entry) => {
    const [, name = "", only] = /^(\[[^\]]*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (name === "" || (only !== undefined && only !== port)) return false;
    const bare = name.replace(/^\[|\]$/g, "").replace(/^\*?\.|\.$/g, "");
    if (bare === "*" || bare === host || host.endsWith(`.${bare}`)) return true;
    return bare.includes("/") && within(host, bare);
  });
}

function within(host: string, range: string): boolean {
  const family = isIP(host);
  const [base = "", prefix] = range.split("/");
  const bits = Number(prefix);
  if (family === 0 || isIP(base) !== family || !(bits >= 0 && bits <= (family === 4 ? 32 : 128)))
    return false;
  const list = new net.BlockList();
  list.addSubnet(base, bits, family === 4 ? "ipv4" : "ipv6");
  return list.check(host, family === 4 ? "ipv4" : "ipv6");
}
