import { Type } from "typebox";
import { Checks, definePlugin, Net, securityKeys, Upstream } from "@gantry/sdk";
import { Loopback } from "@gantry/sdk/fill";
import { addressCheck } from "./addresses.ts";
import { domainCheck } from "./domains.ts";
import { errors } from "./errors.ts";
import { loopback } from "./loopback.ts";
import { createNet } from "./net.ts";
import type { Lookup } from "./policy.ts";
import { loadAll } from "./load-all.ts";
import { createTrust, trustCheck } from "./trust.ts";
import { createUpstream } from "./upstream.ts";

const lookup: Lookup = async (host) => {
  const dns = await import("node:dns/promises");
  return (await dns.lookup(host, { all: true, order: "verbatim" })).map(({ address }) => address);
};

export default definePlugin({
  name: "net-undici",
  summary: "HTTP out: checked and pinned for tools, proxied for providers.",
  table: "",
  config: Type.Object({
    security: Type.Object({
      allowed_domains: securityKeys.allowed_domains,
      allowed_private_addresses: Type.Array(Type.String(), {
        default: [],
        description:
          "Special addresses that tools may reach all the same, such as your own server at 127.0.0.1:5173 or 192.168.1.20 (every port), where allowed_domains holds the address too. Written as addresses, never as names; those that serve a cloud's credentials cannot be named. The scripts of every page that a browser of the tool opens reach them too, unasked.",
      }),
      blocked_ips: Type.Array(Type.String(), {
        default: [],
        description:
          "Addresses and CIDR ranges that tools may not reach, beside all special ones, which are refused but for allowed_private_addresses.",
      }),
    }),
  }),
  provides: [Net, Upstream, Loopback, Checks],
  enforces: ["security.allowed_domains", "security.allowed_private_addresses", "security.blocked_ips"],
  errors,
  setup(host) {
    const { allowed_domains, allowed_private_addresses, blocked_ips } = host.config.security;
    const trust = createTrust();
    const rules = {
      domains: domainCheck(allowed_domains),
      addresses: addressCheck(blocked_ips, allowed_private_addresses),
      lookup,
    };
    host.provide(Net, createNet(rules, trust));
    host.provide(Checks, trustCheck());
    const upstream = createUpstream(process.env, trust);
    host.provide(Upstream, upstream);
    host.provide(Loopback, loopback);
    host.onServe(() => loadAll(process.env));
    host.onDispose(() => upstream.close());
  },
});
