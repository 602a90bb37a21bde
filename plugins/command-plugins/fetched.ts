import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import type { CommandContext } from "@gantry/sdk";
import type { PluginNeeds } from "./needs.ts";
import { entryOf } from "./entry.ts";
import { errors } from "./errors.ts";
import { fetchPackage, registryOf, type Fetched } from "./registry.ts";

const isPath = (spec: string): boolean => /^(?:\.{0,2}|~)\/|^\.{1,2}$|\.tgz$/.test(spec);

/** The bytes that a spec means: a tarball on this machine, or a package of the registry. */
export async function fetched(
  { options, signal }: CommandContext,
  { upstream }: PluginNeeds,
  spec: string,
): Promise<Fetched> {
  if (isPath(spec)) return localTarball(spec);
  if (!/^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*(?:@[\w.+-]+)?$/.test(spec) || spec.includes("..")) {
    throw errors.PLUGINS_PACKAGE(spec, "that is no name of a package with an exact version or a tag");
  }
  const registry = await registryOf(options["registry"], process.env);
  if (!upstream) throw errors.PLUGINS_NO_REGISTRY();
  return fetchPackage(upstream, registry, spec, signal);
}

async function localTarball(spec: string): Promise<Fetched> {
  const file = path.resolve(spec);
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw errors.PLUGINS_NO_FILE(
      file,
      error.code === "ENOENT" ? "nothing is there" : (error.code ?? error.message),
    );
  });
  return { bytes, from: file };
}

/**
 * Returns the module of a plugin that lies on this machine as it is; undefined for any other spec.
 */
export async function localEntry(spec: string): Promise<string | undefined> {
  if (!isPath(spec)) return undefined;
  const found = await stat(path.resolve(spec)).catch(() => undefined);
  const isModule = /\.[cm]?[jt]s$/.test(spec);
  return isModule || found?.isDirectory() === true ? entryOf(spec) : undefined;
}
