import { Sandbox } from "@gantry/sdk";
import type { Registry } from "../plugins/registry.ts";

/** True where commands that tools start can reach the network: by allowed domains, or since no wall holds them. */
export async function commandsReachOut(registry: Registry, domains: readonly string[]): Promise<boolean> {
  if (domains.length > 0) return true;
  const policy = await registry
    .get(Sandbox)
    ?.policy()
    .catch(() => undefined);
  return policy?.network !== true;
}
