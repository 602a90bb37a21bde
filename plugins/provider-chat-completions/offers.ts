import type { ProviderOffer } from "@gantry/sdk";
import { aliasesOf, locals } from "./endpoint.ts";
import { services } from "./services.ts";

/** All that people can choose here. */
export function offers(): readonly ProviderOffer[] {
  return [...beside, ...ownServers(), ...wellKnown()];
}

const beside: readonly ProviderOffer[] = [
  {
    name: "custom",
    title: "Another address that speaks chat completions",
    list: "beside",
    addressInId: true,
    keyAt: "api_key",
    keyVariable: "SERVICE_API_KEY",
  },
  {
    name: "hostedllm",
    aliases: aliasesOf("hostedllm"),
    hint: "hosted chat completions",
    list: "beside",
    addressKey: "endpoints.hosted_url",
    addressQuestion: "Its address, without the /v1?",
    keyVariable: "HOSTEDLLM_API_KEY",
  },
];

function ownServers(): readonly ProviderOffer[] {
  return Object.entries(locals).map(([name, { url, key }]) => ({
    name,
    aliases: aliasesOf(name),
    list: "servers",
    address: url,
    addressKey: "api_url",
    keyVariable: key,
    keyOptional: true,
  }));
}

/** A service without a key is one that people run themselves. */
function wellKnown(): readonly ProviderOffer[] {
  return [...services.values()].map(({ id, url, key, docs }) => ({
    name: id,
    list: key === undefined ? "servers" : "services",
    address: url,
    keyVariable: key,
    docs,
  }));
}
