import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { pluginModule } from "@gantry/sdk/node";
import { fileIn } from "../shared/file-in.ts";
import { errors } from "./errors.ts";

export interface PackageFacts {
  readonly name?: unknown;
  readonly version?: unknown;
  readonly exports?: unknown;
  readonly main?: unknown;
  readonly scripts?: unknown;
  readonly dependencies?: unknown;
  readonly optionalDependencies?: unknown;
  readonly peerDependencies?: unknown;
  readonly gantry?: unknown;
}

/**
 * The module that a path means: a file itself, a folder by its package.json, else its index.ts or
 * index.js. Throws `PLUGINS_NO_ENTRY`.
 */
export async function entryOf(given: string): Promise<string> {
  const at = path.resolve(given);
  const found = await stat(at).catch(() => undefined);
  if (found?.isFile()) return at;
  if (!found) throw errors.PLUGINS_NO_ENTRY(at);
  for (const candidate of [pluginModule(await readFacts(at)), "index.ts", "index.js"]) {
    const file = await fileIn(at, candidate);
    if (file !== undefined) return file;
  }
  throw errors.PLUGINS_NO_ENTRY(at);
}

/** Returns the package.json of a folder; empty if there is none. Throws `PLUGINS_BAD_FACTS`. */
export async function readFacts(folder: string): Promise<PackageFacts> {
  const file = path.join(folder, "package.json");
  const text = await readFile(file, "utf8").catch(() => "{}");
  try {
    const facts = JSON.parse(text) as PackageFacts | null;
    if (typeof facts === "object" && facts !== null && !Array.isArray(facts)) return facts;
  } catch {
    // Said below.
  }
  throw errors.PLUGINS_BAD_FACTS(file);
}
