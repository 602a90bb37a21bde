import type { GantryError, Plugin } from "@gantry/sdk";
import { bundledPlugins, isIdle } from "../plugins/bundled.ts";
import { loadChosen, type LeftOut } from "../plugins/load-chosen.ts";
import { loadPlugin, type LoadedPlugin } from "../plugins/loader.ts";
import type { ConfigText } from "./check.ts";
import { chosenPlugins } from "./choose.ts";
import { configure, type Configured } from "./configure.ts";
import { valueAt } from "./dotted-key.ts";
import { readText, readTree, type ReadTree } from "./read.ts";
import { refuseUnsafe } from "./refuse-unsafe.ts";
import { wrongAt } from "./wrong-at.ts";

/** A configuration that was read and checked, with its plugins imported and nothing started. */
export interface Opened {
  readonly exists: boolean;
  readonly plugins: readonly LoadedPlugin[];
  readonly config: Configured;
  /** Optional plugins that could not be loaded. */
  readonly leftOut: readonly LeftOut[];
  /** Plugins of the base set that the file leaves out, by name. */
  readonly absent: readonly string[];
}

/** Where a configuration is, and how it is opened. */
export interface ToOpen {
  readonly configDir: string;
  readonly configFile: string;
  /** The text to open in place of the file's. */
  readonly given?: string | ConfigText | undefined;
  /** Slots that nobody reads: what only fills those is not imported. */
  readonly unused?: readonly string[];
  /** The first word of the command line, if it is one of a plugin's. */
  readonly word?: string | undefined;
  /** Told why keys are left out, as their variables are not set; without it that is an error. */
  readonly onLeftOut?: ((missing: readonly GantryError[]) => void) | undefined;
}

/**
 * Reads, imports what is listed, checks everything; throws coded errors, several at once. No file
 * means the defaults.
 */
export async function openConfiguration(to: ToOpen): Promise<Opened> {
  const { configDir, configFile, given } = to;
  await refuseUnsafe(configDir, configFile);
  const text = given ?? (await readText(configFile));
  const { text: parsed, problems } = read(to, text ?? "");
  const { plugins, leftOut, absent } = await load(parsed, problems, to);
  const config = await configure(
    parsed,
    plugins.map(({ plugin }) => plugin),
    problems,
    () => bundledIn(configDir),
  );
  return { exists: text !== undefined, plugins, config, leftOut, absent };
}

/** Imports bundled plugins: those of these names, or all of them. */
export async function bundledIn(configDir: string, names?: readonly string[]): Promise<readonly Plugin[]> {
  const bundled = await bundledPlugins();
  const wanted = names ?? bundled.map(({ name }) => name);
  const loaded = await Promise.all(wanted.map((name) => loadPlugin(name, configDir, bundled)));
  return loaded.map(({ plugin }) => plugin);
}

function read(
  { configFile, onLeftOut }: ToOpen,
  text: string | ConfigText,
): Pick<ReadTree, "text" | "problems"> {
  if (typeof text !== "string") return { text, problems: [] };
  const tree = readTree(configFile, text, process.env, onLeftOut !== undefined);
  if (tree.leftOut.length > 0) onLeftOut?.(tree.leftOut);
  return tree;
}

async function load(
  text: ConfigText,
  problems: GantryError[],
  { configDir, unused = [], word }: ToOpen,
): Promise<Pick<Opened, "plugins" | "leftOut" | "absent">> {
  const bundled = await bundledPlugins();
  const has = (key: string): boolean => valueAt(text.tree, key) !== undefined;
  const idle = bundled.filter((plugin) => isIdle(plugin, unused, has)).map(({ name }) => name);
  const { names, optional } = chosenPlugins(text.tree, bundled, word);
  const wanted = { names: names.filter((name) => !idle.includes(name)), optional };
  const loaded = await loadChosen(wanted, configDir, bundled);
  problems.push(...loaded.problems.map(({ name, why }) => wrongAt(["plugins", name], why)));
  const absent = bundled.filter(({ name, base }) => base && !names.includes(name));
  return { ...loaded, absent: absent.map(({ name }) => name) };
}
