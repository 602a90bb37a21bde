import type { GantryError, Plugin } from "@gantry/sdk";
import { bundledPlugins, isIdle } from "../plugins/bundled.ts";
import { loadChosen, type LeftOut } from "../plugins/load-chosen.ts";
import { loadPlugin, type LoadedPlugin } from "../plugins/loader.ts";
import type { ConfigText } from "./check.ts";
import { chosenPlugins } from "./choose.ts";
import { configure, type Configured } from "./configure.ts";
import { valueAt } from "./dotted-key.ts";
import { wrongAt } from "./wrong-at.ts";

/** A configuration that was read and checked, with its plugins imported and nothing started. */
export interface Opened {
  readonly plugins: readonly LoadedPlugin[];
  readonly config: Configured;
  /** Optional plugins that could not be loaded. */
  readonly leftOut: readonly LeftOut[];
  /** Plugins of the base set that the file leaves out, by name. */
  readonly absent: readonly string[];
}

/** A configuration that was read, and how it is opened. */
export interface ToOpen {
  readonly configDir: string;
  readonly text: ConfigText;
  /** The errors found when it was read; what else is wrong is told with them. */
  readonly problems: readonly GantryError[];
  /** Slots that nobody reads: what only fills those is not imported. */
  readonly unused?: readonly string[];
  /** The first word of the command line, if it is one of a plugin's. */
  readonly word?: string | undefined;
}

/** Imports what is listed, checks everything; throws coded errors, several at once. */
export async function openConfiguration(to: ToOpen): Promise<Opened> {
  const { configDir, text } = to;
  const { problems, plugins, leftOut, absent } = await load(to);
  const config = await configure(
    text,
    plugins.map(({ plugin }) => plugin),
    [...to.problems, ...problems.map(({ name, why }) => wrongAt(["plugins", name], why))],
    () => bundledIn(configDir),
  );
  return { plugins, config, leftOut, absent };
}

/** Imports bundled plugins: those of these names, or all of them. */
export async function bundledIn(configDir: string, names?: readonly string[]): Promise<readonly Plugin[]> {
  const bundled = await bundledPlugins();
  const wanted = names ?? bundled.map(({ name }) => name);
  const loaded = await Promise.all(wanted.map((name) => loadPlugin(name, configDir, bundled)));
  return loaded.map(({ plugin }) => plugin);
}

async function load({ configDir, text, unused = [], word }: ToOpen) {
  const bundled = await bundledPlugins();
  const has = (key: string): boolean => valueAt(text.tree, key) !== undefined;
  const idle = bundled.filter((plugin) => isIdle(plugin, unused, has)).map(({ name }) => name);
  const { names, ...how } = chosenPlugins(text.tree, bundled, word);
  const wanted = { names: names.filter((name) => !idle.includes(name)), ...how };
  const absent = bundled.filter(({ name, base }) => base && !names.includes(name));
  const loaded = await loadChosen(wanted, configDir, bundled);
  return { ...loaded, absent: absent.map(({ name }) => name) };
}
