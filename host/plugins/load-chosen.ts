import { GantryError, type Plugin } from "@gantry/sdk";
import { hookKinds } from "@gantry/sdk/fill";
import { errors } from "./errors.ts";
import type { Bundled } from "./bundled.ts";
import { loadPlugin, type LoadedPlugin } from "./loader.ts";

/** A plugin that could not be loaded, and why. */
export interface LeftOut {
  readonly name: string;
  readonly why: GantryError;
}

/** The plugins that a file asks for, each once, in its order. */
export interface Chosen {
  readonly names: readonly string[];
  /** Those of them without which the service starts if they cannot be loaded. */
  readonly optional: ReadonlySet<string>;
  /** Those that a bundled plugin loads, with the URL of its module. */
  readonly loaders: ReadonlyMap<string, string>;
}

interface Loads {
  readonly plugins: readonly LoadedPlugin[];
  readonly leftOut: readonly LeftOut[];
  /** The problems of plugins that are not optional. */
  readonly problems: readonly LeftOut[];
}

/** Loads every plugin that was chosen; what keeps the service from starting is told all at once. */
export async function loadChosen(
  { names, optional, loaders }: Chosen,
  configDir: string,
  bundled: readonly Bundled[],
): Promise<Loads> {
  const plugins: LoadedPlugin[] = [];
  const leftOut: LeftOut[] = [];
  const problems: LeftOut[] = [];
  const loads = await Promise.allSettled(
    names.map((name) => loadPlugin(name, configDir, bundled, loaders.get(name))),
  );
  for (const [at, load] of loads.entries()) {
    const name = names[at] as string;
    if (load.status === "rejected") {
      const why = load.reason instanceof GantryError ? load.reason : errors.INTERNAL(load.reason);
      if (optional.has(name)) leftOut.push({ name, why });
      else problems.push({ name, why });
      continue;
    }
    const holds = guardsBy(load.value.plugin);
    if (optional.has(name) && holds !== undefined)
      problems.push({ name, why: errors.PLUGIN_OPTIONAL_GUARD(name, holds) });
    plugins.push(optional.has(name) ? { ...load.value, optional: true } : load.value);
  }
  return { plugins, leftOut, problems };
}

/** Returns what makes a plugin a guard, as in "taps beforeToolCall"; undefined if it is none. */
function guardsBy({ taps = [], enforces = [] }: Plugin): string | undefined {
  const hooks = taps.filter((hook) => hookKinds[hook] === "guard");
  if (hooks.length > 0) return `taps ${hooks.join(", ")}`;
  return enforces.length > 0 ? `enforces ${enforces.join(", ")}` : undefined;
}
