import { realpath } from "node:fs/promises";
import path from "node:path";
import { type AnySlot, type Plugin } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { changedFiles, folderHashes, manifestDifference, readPluginLock } from "@gantry/sdk/node";
import type { LockedPackage } from "@gantry/sdk/node";

/** The row of plugins.lock.json for a module, with the name of its package. */
export interface Locked {
  readonly name: string;
  readonly row: LockedPackage;
}

/**
 * Returns the lock's row for a module of an installed package, whose bytes it compares; undefined
 * if `plugins add` did not install it. Throws `PLUGIN_CHANGED` unless it is as accepted.
 */
export async function checkLock(
  listed: string,
  file: string,
  configDir: string,
): Promise<Locked | undefined> {
  const folder = path.join(configDir, "node_modules");
  const inside = path.relative(await realOf(folder), await realOf(file));
  if (inside.startsWith("..") || path.isAbsolute(inside)) return undefined;

  const [first = "", second = ""] = inside.split(path.sep);
  const name = first.startsWith("@") ? `${first}/${second}` : first;
  const lock = await readPluginLock(configDir);
  const row = Object.hasOwn(lock, name) ? lock[name] : undefined;
  if (!row) return undefined;

  const accepted = new Map(Object.entries(row.files));
  const [changed] = changedFiles(accepted, await folderHashes(path.join(folder, name)));
  if (changed)
    throw errors.PLUGIN_CHANGED(
      listed,
      `${path.join(folder, name, changed.file)} was ${changed.change}`,
      `run \`gantry plugins add ${path.isAbsolute(row.from) ? row.from : `${name}@${row.version}`}\``,
    );
  return { name, row };
}

/** Throws `PLUGIN_CHANGED` if the code states another manifest than the one that was accepted. */
export function checkAccepted(listed: string, plugin: Plugin, { name, row }: Locked): void {
  const needed = Object.values(plugin.needs ?? {}) as readonly AnySlot[];
  const real = {
    needs: needed.map(({ id }) => id),
    provides: (plugin.provides ?? []).map(({ id }) => id),
    taps: plugin.taps ?? [],
    enforces: plugin.enforces ?? [],
  };
  const difference = manifestDifference(real, row);
  if (!difference) return;
  const cure = `take a release whose package.json states the same by \`gantry plugins add ${name}\``;
  throw errors.PLUGIN_CHANGED(listed, `its code states ${difference}`, cure);
}

async function realOf(file: string): Promise<string> {
  return realpath(file).catch(() => file);
}
