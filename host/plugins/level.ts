import { readFile } from "node:fs/promises";
import path from "node:path";
import { SDK_LEVEL, type GantryError } from "@gantry/sdk";
import { errors } from "./errors.ts";

/** Throws where the package that an entry belongs to states another level than the host's, before anything of it runs. */
export async function checkStatedLevel(name: string, entry: string): Promise<void> {
  const stated = await statedLevel(path.dirname(entry));
  if (stated !== undefined && stated !== SDK_LEVEL) throw otherLevel(name, stated);
}

/** Why a plugin of this level is not loaded. */
export function otherLevel(name: string, level: number): GantryError {
  const cure =
    level < SDK_LEVEL
      ? "install a newer release of the plugin"
      : "install a newer Gantry, or an older release of the plugin";
  return errors.PLUGIN_SDK_MISMATCH(name, level, SDK_LEVEL, cure);
}

/** The error for an import that the host's sdk does not have; undefined for any other. */
export function missingExport(name: string, thrown: Error): GantryError | undefined {
  const [, module = "", member] =
    /module '([^']+)' does not provide an export named '?([\w$]+)'?/.exec(thrown.message) ?? [];
  return member && module.startsWith("@gantry/sdk")
    ? errors.PLUGIN_SDK_EXPORT(name, `${member} from ${module}`, SDK_LEVEL)
    : undefined;
}

/** `gantry.sdk` of the nearest package.json. */
async function statedLevel(folder: string): Promise<number | undefined> {
  const text = await readFile(path.join(folder, "package.json"), "utf8").catch(() => undefined);
  const above = path.dirname(folder);
  if (text === undefined) return above === folder ? undefined : statedLevel(above);
  try {
    const { gantry } = JSON.parse(text) as { gantry?: { sdk?: unknown } };
    return typeof gantry?.sdk === "number" ? gantry.sdk : undefined;
  } catch {
    // Whoever needs the file says what is wrong with it.
    return undefined;
  }
}
