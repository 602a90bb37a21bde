import { rm } from "node:fs/promises";
import path from "node:path";
import type { AnySlot, CommandContext } from "@gantry/sdk";
import { changedFiles, fileHash, folderHashes, readPluginLock, type LockedPackage } from "@gantry/sdk/node";
import { askPerson } from "../shared/ask-person.ts";
import { linesAhead } from "./ahead.ts";
import type { PluginNeeds } from "./needs.ts";
import { errors } from "./errors.ts";
import { linesOf, widened } from "./facts.ts";
import { fetched, localEntry } from "./fetched.ts";
import { putInPlace } from "../shared/put-in-place.ts";
import { pluginFolder, stagePackage } from "./folder.ts";
import { writeLock } from "./lock-file.ts";
import { checkPackage, type PluginPackage } from "./package-check.ts";
import { integrityOf } from "./registry.ts";
import { readTarball } from "./read-tarball.ts";

const MAX_SHOWN = 20;

/**
 * Fetch, read, show, ask, put in place. No code of the package runs here: its manifest is read from
 * its package.json, and whoever loads it compares its bytes with the lock and its code with the
 * manifest that was accepted.
 */
export async function add(run: CommandContext, needs: PluginNeeds): Promise<number> {
  const { configDir } = needs.runtime;
  const spec = run.args[0] ?? "";
  const local = await localEntry(spec);
  if (local !== undefined) return (await import("./add-folder.ts")).addFolder(run, needs, spec, local);
  const folder = await pluginFolder(configDir);
  const { bytes, from, asked } = await fetched(run, needs, spec);
  const files = await readTarball(spec, bytes, needs, run.signal);
  const found = await checkPackage(spec, files, needs.runtime.version);
  const { name, version, stated } = found;
  if (asked !== undefined && asked !== name) throw errors.PLUGINS_OTHER_NAME(asked, name);

  const integrity = await integrityOf(bytes);
  const lock = await readPluginLock(configDir);
  const hashes = new Map([...files].map(([file, content]) => [file, fileHash(content)]));
  const changes = changedFiles(await folderHashes(path.join(folder, name)), hashes);
  const before = Object.hasOwn(lock, name) ? lock[name] : undefined;
  showPackage(run, { ...found, before, integrity, count: files.size });
  if (before) showChanges(run, changes);
  const known = before !== undefined && before.integrity === integrity && changes.length === 0;
  if (!known && !(await askPerson(run, questionOf(before, found)))) throw errors.PLUGINS_NOT_ACCEPTED(name);

  const staging = await stagePackage(folder, files);
  const row = { version, integrity, from, ...stated, files: Object.fromEntries(hashes) };
  try {
    await putInPlace(folder, name, staging, async () => {
      await recordInstall(needs, { plugin: name, version, integrity });
      await writeLock(configDir, { ...lock, [name]: row });
    });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  run.out(`Installed ${name} ${version}`);
  await hintToList(run, needs, folder, found);
  return 0;
}

interface Shown extends PluginPackage {
  readonly before: LockedPackage | undefined;
  readonly integrity: string;
  readonly count: number;
}

function showPackage(run: CommandContext, shown: Shown): void {
  const { name, version, stated, ahead, scripts, hasLevel, before, integrity, count } = shown;
  const instead = before ? `, in place of ${before.version}` : "";
  run.err(`${name} ${version} (${count} files, ${integrity.slice(0, 22)}…)${instead}`);
  for (const line of [...linesOf(stated), ...linesAhead(ahead)]) run.err(line);
  if (!hasLevel)
    run.err(
      "  it does not state its sdk level (`gantry.sdk` in package.json): only a start tells whether it fits",
    );
  if (scripts.length > 0) run.err(`  its install scripts (${scripts.join(", ")}) are not run`);
}

function showChanges(run: CommandContext, changes: ReturnType<typeof changedFiles>): void {
  for (const { file, change } of changes.slice(0, MAX_SHOWN)) run.err(`  ${change.padEnd(8)} ${file}`);
  if (changes.length > MAX_SHOWN) run.err(`  and ${changes.length - MAX_SHOWN} files more`);
}

function questionOf(before: LockedPackage | undefined, { stated }: PluginPackage): string {
  if (!before) return "Its code will run as you once it is listed. Accept?";
  const more = widened(before, stated);
  return more.length > 0
    ? `It asks for more than before (${more.join(", ")}), and its code is another. Accept?`
    : "Its code is another than the one you accepted. Accept?";
}

async function recordInstall(needs: PluginNeeds, args: Readonly<Record<string, unknown>>): Promise<void> {
  await needs.audit.record({
    event_type: "config_change",
    tool: "",
    args,
    result: "plugin installed",
    user: "owner",
    session_id: "",
  });
}

async function hintToList(
  run: CommandContext,
  { runtime }: PluginNeeds,
  folder: string,
  { name, stated }: PluginPackage,
): Promise<void> {
  const place = path.join(folder, name) + path.sep;
  if (runtime.plugins.some((plugin) => plugin.from.startsWith(place))) return;
  run.err(`It runs once it is listed: add "${name}" to extra_plugins in ${runtime.configFile}.`);
  const doors = await Promise.all([import("@gantry/sdk"), import("@gantry/sdk/fill")]);
  const slots = doors.flatMap((door): readonly Partial<AnySlot>[] => Object.values(door));
  const alone = stated.provides.filter((id) => slots.some((slot) => slot.id === id && slot.many === false));
  if (alone.length > 0)
    run.err(
      `One plugin alone may fill ${alone.join(" or ")}: to put this one in place of another, leave that out: by \`without_plugins\` where it comes with Gantry, else off its list.`,
    );
}
