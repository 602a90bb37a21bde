import { readFile } from "node:fs/promises";
import type { Plugin } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { factsBeside, readFacts } from "./facts.ts";
import { standIn } from "./stand-in.ts";

/**
 * Makes the stand-in of a plugin, and imports nothing of it. `file`: its module, undefined for one
 * that is bundled. Throws `ISOLATED_*`.
 */
export async function loadFor(base: string, name: string, file: string | undefined): Promise<Plugin> {
  if (file !== undefined) {
    const { facts, folder } = await factsBeside(name, file);
    return standIn(facts, { base, entry: file, folder });
  }
  const text = await readFile(new URL(`../${name}/facts.json`, base), "utf8").catch(() => undefined);
  if (text === undefined)
    throw errors.ISOLATED_FACTS(name, "it runs from source, and the build writes its facts");
  return standIn(readFacts(name, text), { base, entry: name, folder: undefined });
}
