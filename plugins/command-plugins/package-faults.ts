import { stat } from "node:fs/promises";
import path from "node:path";
import { manifestDifference, pluginModule } from "@gantry/sdk/node";
import type { PluginFacts } from "@gantry/sdk/testing";
import { differencesAhead, readAhead } from "./ahead.ts";
import { fileIn } from "../shared/file-in.ts";
import { readFacts } from "./entry.ts";
import { readStated } from "./facts.ts";
import { noModule } from "./package-check.ts";

/**
 * Returns the folder of a plugin's package.json: the one that was given, else that of its module.
 */
export async function folderOf(given: string, entry: string): Promise<string> {
  const at = path.resolve(given);
  return (await stat(at)).isDirectory() ? at : path.dirname(entry);
}

/** Returns the faults of a plugin's package.json, compared with its files and its code. */
export async function packageFaults(folder: string, real: PluginFacts): Promise<readonly string[]> {
  const facts = await readFacts(folder);
  const { gantry } = facts;
  if (gantry === undefined) return [];
  // A plugin of Gantry's own is accepted with it, and states nothing.
  if ((gantry as { readonly base?: unknown } | null)?.base === true) return [];
  const faults: string[] = [];
  if ((await fileIn(folder, pluginModule(facts))) === undefined)
    faults.push(
      `The plugin ${real.name} cannot be added as a package (${noModule}): ` +
        "name its module there, and build the module if it is missing.",
    );
  const stated = readStated(gantry);
  if (!stated)
    faults.push(
      `The plugin ${real.name} states under \`gantry\` in its package.json something else than ` +
        "lists of names: write needs, provides and taps there.",
    );
  const difference = stated && manifestDifference(stated, real);
  if (difference)
    faults.push(
      `The plugin ${real.name} states in its package.json that it ${difference}, ` +
        `and its code ${manifestDifference(real, stated)}: make them equal.`,
    );
  const ahead = readAhead(gantry);
  faults.push(
    ...(typeof ahead === "string"
      ? [`The plugin ${real.name} has a package.json in which ${ahead}: correct it.`]
      : differencesAhead(ahead, real)),
  );
  return faults;
}
