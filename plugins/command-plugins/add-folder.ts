import type { CommandContext } from "@gantry/sdk";
import { linesAhead, readAhead } from "./ahead.ts";
import { askPerson } from "../shared/ask-person.ts";
import { readFacts } from "./entry.ts";
import { errors } from "./errors.ts";
import { linesOf, readStated } from "./facts.ts";
import type { PluginNeeds } from "./needs.ts";
import { folderOf } from "./package-faults.ts";

/**
 * Shows what a plugin on this machine states, asks, and writes its module into `extra_plugins`: it
 * is used where it lies. Throws PLUGINS_NO_TARBALL if nobody accepts it, and CONFIG_*.
 */
export async function addFolder(
  run: CommandContext,
  { configFile, runtime }: PluginNeeds,
  spec: string,
  entry: string,
): Promise<number> {
  const { gantry } = await readFacts(await folderOf(spec, entry));
  const [stated, ahead] = [readStated(gantry), readAhead(gantry)];
  run.err(`${entry} is used where it lies, and nothing is installed`);
  for (const line of stated ? linesOf(stated) : []) run.err(line);
  for (const line of typeof ahead === "string" ? [] : linesAhead(ahead)) run.err(line);
  if (!(await askPerson(run, "Its code will run as you from there. Accept?")))
    throw errors.PLUGINS_NO_TARBALL(spec, entry, runtime.configFile);
  const listed = configFile.get("extra_plugins") as readonly string[];
  if (!listed.includes(entry)) await configFile.set({ extra_plugins: [...listed, entry] });
  run.out(`Wrote "${entry}" into extra_plugins in ${runtime.configFile}`);
  return 0;
}
