import { readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { GantryError, type Plugin } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { asError, expandHome, foreignOnTheWay, nearest, pluginModule } from "@gantry/sdk/node";
import type { Bundled } from "./bundled.ts";
import { checkAccepted, checkLock } from "./lock-check.ts";
import { checkManifest } from "./manifest.ts";

export interface LoadedPlugin {
  readonly plugin: Plugin;
  /** The service starts without it if its setup fails. */
  readonly optional?: boolean;
  /** `bundled`, or the file it came from. */
  readonly from: string;
}

const npmName = /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/;

/**
 * Loads a plugin: bundled, by path from the file, or an npm package under `<config_dir>`. `loader`:
 * the URL of the module that makes it, so that nothing of it is imported here.
 */
export async function loadPlugin(
  name: string,
  configDir: string,
  bundled: readonly Bundled[],
  loader?: string,
): Promise<LoadedPlugin> {
  const make = loader && ((await import(loader)) as { load(name: string, file?: string): unknown }).load;
  const own = bundled.find((plugin) => plugin.name === name);
  if (own)
    return { plugin: checkManifest(name, await (make ? make(name) : importBundled(own))), from: "bundled" };
  const file = await entryOf(name, configDir, bundled);
  await refuseUnsafe(name, file);
  // Most turns load only what is bundled.
  const { checkStatedLevel, importForeign } = await import("./import-foreign.ts");
  await checkStatedLevel(name, file);
  const locked = await checkLock(name, file, configDir);
  const made = await (make ? make(name, file) : importForeign(name, file, configDir));
  const plugin = checkManifest(name, made);
  if (locked && !make) checkAccepted(name, plugin, locked);
  return { plugin, from: file };
}

/** The module of a plugin's folder, by its package.json, else its index.ts or index.js. */
export async function entryIn(folder: string): Promise<string> {
  const facts = await readFile(path.join(folder, "package.json"), "utf8").catch(() => "{}");
  const module = pluginModule(readFacts(folder, facts));
  if (module !== undefined) return path.resolve(folder, module);
  const isTypeScript = await stat(path.join(folder, "index.ts")).catch(() => undefined);
  return path.join(folder, isTypeScript ? "index.ts" : "index.js");
}

/** Finds `weather` as gantry-plugin-weather or itself, only in `<config_dir>/node_modules`. */
async function entryOf(name: string, configDir: string, bundled: readonly Bundled[]): Promise<string> {
  if (/^(?:\.{1,2}|~)?\//.test(name)) return path.resolve(configDir, expandHome(name));
  if (!npmName.test(name) || name.includes(".."))
    throw errors.PLUGIN_NOT_FOUND(name, ": it is neither a package name nor a path");
  const names = name.startsWith("@") ? [name] : [`gantry-plugin-${name}`, name];
  for (const candidate of names) {
    const folder = path.join(configDir, "node_modules", candidate);
    const facts = await readFile(path.join(folder, "package.json"), "utf8").catch(() => undefined);
    if (facts === undefined) continue;
    const entry = path.resolve(folder, pluginModule(readFacts(name, facts)) ?? "index.js");
    if (!(await realpath(entry).catch(() => entry)).startsWith((await realpath(folder)) + path.sep)) {
      throw errors.PLUGIN_UNSAFE_PATH(name, entry, "it lies outside its own package");
    }
    return entry;
  }
  const meant = nearest(
    name,
    bundled.map((plugin) => plugin.name),
  );
  const hint = meant ? ` (did you mean \`${meant}\`?)` : "";
  const folder = path.join(configDir, "node_modules");
  throw errors.PLUGIN_NOT_FOUND(name, ` among the bundled ones nor in ${folder}${hint}`);
}

function readFacts(name: string, json: string): Parameters<typeof pluginModule>[0] {
  try {
    return (JSON.parse(json) ?? {}) as object;
  } catch (error) {
    throw errors.PLUGIN_IMPORT_FAILED(name, `its package.json is not JSON: ${asError(error).message}`);
  }
}

/** Code that others can change is not loaded: it would be theirs. */
async function refuseUnsafe(name: string, file: string): Promise<void> {
  const real = await realpath(file).catch(() => {
    throw errors.PLUGIN_NOT_FOUND(name, ` at ${file}`);
  });
  if ((await stat(real)).isDirectory())
    throw errors.PLUGIN_UNSAFE_PATH(name, file, "it is a folder; name the file in it");
  const found = await foreignOnTheWay(file);
  if (!found) return;
  const { at, why, cure } = found;
  throw errors.PLUGIN_UNSAFE_PATH(name, at, `${why}; run \`${cure}\` and look through its code`);
}

async function importBundled({ name, entry, exported }: Bundled): Promise<unknown> {
  try {
    return ((await import(entry)) as Readonly<Record<string, unknown>>)[exported];
  } catch (error) {
    throw error instanceof GantryError ? error : errors.PLUGIN_IMPORT_FAILED(name, asError(error));
  }
}
