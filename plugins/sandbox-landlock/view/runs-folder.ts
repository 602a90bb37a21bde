import path from "node:path";
import { shortHash } from "@gantry/sdk/node";

/**
 * Returns the folder of one workspace's runs, outside of every workspace. `state`: that of the
 * service.
 */
export const runsFolder = (state: string, workspace: string): string =>
  path.join(state, "views", shortHash(workspace));
