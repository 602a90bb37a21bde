import { Type } from "typebox";
import { definePlugin, Loopback, Net, securityKeys, Upstream } from "@gantry/sdk";
import { addressCheck } from "./addresses.ts";
import { domainCheck } from "./domains.ts";
import { errors } from "./errors.ts";
import { loopback } from "./loopback.ts";
import { createNet } from "./net.ts";
import type { Lookup } from "./policy.ts";
import { loadAll } from "./load-all.ts";
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
      blocked_ips: Type.Array(Type.String(), {
        default: [],
        description:
          "Addresses and CIDR ranges that tools may not reach, beside all special ones, which are always refused.",
      }),
    }),
  }),
  provides: [Net, Upstream, Loopback],
  errors,
  setup(host) {
    const { allowed_domains, blocked_ips } = host.config.security;
    host.provide(
      Net,
      createNet({ domains: domainCheck(allowed_domains), addresses: addressCheck(blocked_ips), lookup }),
    );
    const upstream = createUpstream();
    host.provide(Upstream, upstream);
    host.provide(Loopback, loopback);
    host.onServe(() => loadAll(process.env));
    host.onDispose(() => upstream.close());
  },
});
