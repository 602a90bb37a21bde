import { netContract, upstreamContract } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
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

test.for(netContract({ open: openNet }))("$name (tools)", async ({ run }) => {
  await expect(run()).resolves.toBeUndefined();
});

test.for(upstreamContract({ open: openUpstream }))("$name (providers)", async ({ run }) => {
  await expect(run()).resolves.toBeUndefined();
});
