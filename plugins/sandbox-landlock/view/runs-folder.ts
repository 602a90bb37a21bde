import path from "node:path";
import { shortHash } from "@gantry/sdk/node";

/** Returns the folder of a workspace's runs, outside of every workspace. `state`: the service's. */
export const runsFolder = (state: string, workspace: string): string =>
  path.join(state, "views", shortHash(workspace));
