import { readFile, realpath } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { SDK_LEVEL, type GantryError } from "@gantry/sdk";
import { EARLIER_LEVEL } from "@gantry/sdk/fill";
import { errors } from "./errors.ts";
import { otherLevel } from "./manifest.ts";

/** Folders of packages, and loose files, that were written for the earlier level. */
const earlier = new Set<string>();

/**
 * Throws if the package that an entry belongs to states a level that the host does not speak,
 * before anything of it runs. From now on the imports of a plugin of the earlier level lead to
 * the doors of that level.
 */
export async function checkStatedLevel(name: string, entry: string): Promise<void> {
  const file = await realpath(entry);
  const { level, place } = (await statedLevel(path.dirname(file))) ?? (await levelInText(file));
  if (level === EARLIER_LEVEL) earlier.add(place);
  else earlier.delete(place);
  if (place !== file && level !== SDK_LEVEL && level !== EARLIER_LEVEL) throw otherLevel(name, level);
}

/** True for a module of a plugin of the earlier level, by its address. */
export function isEarlier(address: string | undefined): boolean {
  if (earlier.size === 0 || !address?.startsWith("file:")) return false;
  const file = fileURLToPath(address);
  return [...earlier].some((place) => file === place || file.startsWith(place + path.sep));
}

/**
 * Reads the level in the code of a loose file, whose imports are found before its value is
 * there.
 */
async function levelInText(file: string): Promise<StatedLevel> {
  const [, level] = /\bsdk:\s*(\d+)\b/.exec(await readFile(file, "utf8")) ?? [];
  return { level: Number(level ?? SDK_LEVEL), place: file };
}

/**
 * Returns the error for an import that its door of the sdk does not have; undefined for any
 * other error.
 */
export async function missingExport(name: string, thrown: Error): Promise<GantryError | undefined> {
  const [, module = "", member] =
    /module '([^']+)' does not provide an export named '?([\w$]+)'?/.exec(thrown.message) ?? [];
  if (!member || !module.startsWith("@gantry/sdk")) return undefined;
  const doors = Object.entries({
    "@gantry/sdk": await import("@gantry/sdk"),
    "@gantry/sdk/fill": await import("@gantry/sdk/fill"),
    "@gantry/sdk/node": await import("@gantry/sdk/node"),
  });
  const [door] = doors.find(([, names]) => Object.hasOwn(names, member)) ?? [];
  return door
    ? errors.PLUGIN_SDK_MOVED(name, member, module, door, EARLIER_LEVEL)
    : errors.PLUGIN_SDK_EXPORT(name, `${member} from ${module}`, SDK_LEVEL);
}

interface StatedLevel {
  readonly level: number;
  /** The place of the modules for which it holds. */
  readonly place: string;
}

/** Reads `gantry.sdk` of the nearest package.json. */
async function statedLevel(folder: string): Promise<StatedLevel | undefined> {
  const text = await readFile(path.join(folder, "package.json"), "utf8").catch(() => undefined);
  const above = path.dirname(folder);
  if (text === undefined) return above === folder ? undefined : statedLevel(above);
  try {
    const { gantry } = JSON.parse(text) as { gantry?: { sdk?: unknown } };
    return typeof gantry?.sdk === "number" ? { level: gantry.sdk, place: folder } : undefined;
  } catch {
    // Whoever needs the file says what is wrong with it.
    return undefined;
  }
}
