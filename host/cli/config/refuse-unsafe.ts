import { foreignOnTheWay } from "@gantry/sdk/node";
import { errors } from "../errors.ts";

/**
 * Throws `CONFIG_UNSAFE` where somebody else could have written the configuration, or could put
 * another in its place: the file names who gets the keys and what is allowed.
 */
export async function refuseUnsafe(configDir: string, configFile: string): Promise<void> {
  const found = await foreignOnTheWay(configFile, configDir);
  if (found) throw errors.CONFIG_UNSAFE(found.at, found.why, found.cure);
}
