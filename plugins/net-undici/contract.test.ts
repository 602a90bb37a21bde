import { netContract, upstreamContract } from "@gantry/sdk/testing";
import { test } from "vitest";
import { addressCheck } from "./addresses.ts";
import { domainCheck } from "./domains.ts";
import { createNet } from "./net.ts";
import { createUpstream } from "./upstream.ts";

const strict = addressCheck([]);
const net = createNet({
  domains: domainCheck(["allowed.example.com"]),
  addresses: (address) => (address === "127.0.0.1" ? undefined : strict(address)),
  lookup: async () => ["127.0.0.1"],
});
const openNet = async () => ({ net, close: async () => {} });
const openUpstream = async () => {
  const upstream = createUpstream({});
  return { upstream, close: () => upstream.close() };
};

for (const { name, run } of netContract({ open: openNet })) test(`${name} (tools)`, run);
for (const { name, run } of upstreamContract({ open: openUpstream })) test(`${name} (providers)`, run);
