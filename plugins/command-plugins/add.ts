import { readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { CommandContext } from "@gantry/sdk";
import { askPerson } from "./ask-person.ts";
import type { PluginNeeds } from "./commands.ts";
import { entryOf } from "./entry.ts";
import { errors } from "./errors.ts";
import { differenceOf, linesOf, widened } from "./facts.ts";
import { pluginFolder, putInPlace, stagePackage } from "./folder.ts";
import { readLock, writeLock } from "./lock-file.ts";
import { checkPackage } from "./package-check.ts";
import { fetchPackage, integrityOf, registryOf, type Fetched } from "./registry.ts";
import { readTarball } from "./tarball.ts";

/** Fetch, read, show, ask, put in place, compare. Nothing of the package runs before it was accepted, and no script of it ever. */
export async function add(run: CommandContext, needs: PluginNeeds): Promise<number> {
  const { configDir } = needs.runtime;
  const spec = run.args[0] ?? "";
  const folder = await pluginFolder(configDir);
  const { bytes, from } = await fetched(run, needs, spec);
  const files = await readTarball(spec, bytes);
  const { name, version, stated, scripts } = checkPackage(spec, files);
  const integrity = await integrityOf(bytes);
  const lock = await readLock(configDir);
  const before = lock[name];
  run.err(
    `${name} ${version} (${files.size} files, ${integrity.slice(0, 22)}…)${before ? `, in place of ${before.version}` : ""}`,
  );
  for (const line of linesOf(stated)) run.err(line);
  if (scripts.length > 0) run.err(`  its install scripts (${scripts.join(", ")}) are not run`);
  const more = widened(before, stated);
  if (!before || more.length > 0) {
    const question = before
      ? `It asks for more than before (${more.join(", ")}). Accept?`
      : "Its code will run as you once it is listed. Accept?";
    if (!(await askPerson(run, question))) throw errors.PLUGINS_NOT_ACCEPTED(name);
  }
  const staging = await stagePackage(folder, files);
  try {
    const { checkApart } = await import("@gantry/sdk/testing");
    const { facts } = await checkApart({ entry: await entryOf(staging), configDir, contracts: false });
    const difference = differenceOf(stated, facts);
    if (difference) throw errors.PLUGINS_OTHER_FACTS(name, difference);
    await putInPlace(folder, name, staging, async () => {
      const args = { plugin: name, version, integrity };
      await needs.audit.record({
        event_type: "config_change",
        tool: "",
        args,
        result: "plugin installed",
        user: "owner",
        session_id: "",
      });
      await writeLock(configDir, { ...lock, [name]: { version, integrity, from, ...stated } });
    });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  run.out(`Installed ${name} ${version}`);
  const listed = needs.runtime.plugins.some((plugin) =>
    plugin.from.startsWith(path.join(folder, name) + path.sep),
  );
  if (!listed) run.err(`It runs once it is listed: add "${name}" to extra_plugins in config.toml.`);
  return 0;
}

async function fetched(
  { options, signal }: CommandContext,
  { upstream }: PluginNeeds,
  spec: string,
): Promise<Fetched> {
  if (/^(?:\.{0,2}|~)\/|^\.{1,2}$|\.tgz$/.test(spec)) {
    const file = path.resolve(spec);
    if (/\.[cm]?[jt]s$/.test(file) || (await isFolder(file)))
      throw errors.PLUGINS_NO_TARBALL(spec, await entryOf(file));
    const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
      throw errors.PLUGINS_TARBALL(file, error.code ?? "it cannot be read");
    });
    return { bytes, from: file };
  }
  if (!/^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*(?:@[\w.+-]+)?$/.test(spec) || spec.includes("..")) {
    throw errors.PLUGINS_PACKAGE(spec, "that is no name of a package with an exact version or a tag");
  }
  const registry = await registryOf(options["registry"], process.env);
  if (!upstream) throw errors.PLUGINS_NO_REGISTRY();
  return fetchPackage(upstream, registry, spec, signal);
}

async function isFolder(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return found?.isDirectory() === true;
}
