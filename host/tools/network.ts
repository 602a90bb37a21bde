import { Sandbox, ShellReader } from "@gantry/sdk";
import type { Registry } from "../plugins/registry.ts";

/**
 * Returns true if one of these commands can reach the network: by allowed domains, or since no wall
 * holds them. Programs that only read and write files cannot.
 */
export async function commandsReachOut(
  registry: Registry,
  domains: readonly string[],
  commands: readonly string[],
): Promise<boolean> {
  const shell = registry.get(ShellReader);
  const read = commands.map(async (command) => (await shell?.read(command))?.contained === true);
  const contained = await Promise.all(read).catch(() => [false]);
  if (!contained.includes(false)) return false;
  if (domains.length > 0) return true;
  const policy = await registry
    .get(Sandbox)
    ?.policy()
    .catch(() => undefined);
  return policy?.network !== true;
}
