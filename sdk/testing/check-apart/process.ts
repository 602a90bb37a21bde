import { errors, GantryError, type AnySlot, type Plugin } from "../../index.ts";
import type { PluginFacts } from "./subject.ts";
import { configOf, toolsOf } from "./own-facts.ts";
import { checkPlugin, fillersFor } from "../check-plugin.ts";
import type { Asked, Told } from "./messages.ts";

/**
 * The other process of checkApart(): loads one plugin as the host would, tries it, and says what
 * comes next before it comes.
 */
async function answer(asked: Asked): Promise<Told> {
  const { entry, configDir, config: file, with: beside = [], patienceMs } = asked;
  try {
    const { openLoader } = await import("../real-host.ts");
    const loader = openLoader(configDir);
    const plugin = await loader.load(entry);
    const begins = (during: string): void =>
      void process.send?.({ next: { name: plugin.name, during } } satisfies Told);
    const given: Plugin[] = [];
    for (const one of beside) given.push(await loader.load(one));
    const fillers = fillersFor(plugin, await loader.bundled(), given);
    const { lists, config } = withoutLists(file === undefined ? {} : await loader.config(file));
    const checked = await checkPlugin({ plugin, with: fillers, patienceMs, config }, begins);
    const untried = [...checked.untried, ...lists.map((list) => listUnread(list, file ?? ""))];
    begins("what it states ahead is what its code says");
    const tools = await toolsOf(plugin, { plugins: [plugin, ...fillers], config, ready: false });
    return { end: { facts: { ...factsOf(plugin), tools }, ...checked, untried } };
  } catch (error) {
    const { code, exit, message } =
      error instanceof GantryError ? error : errors.PLUGIN_IMPORT_FAILED(entry, error);
    return { failure: { code, exit, message } };
  }
}

/** Keys that say what a host loads: a check loads the plugin and what it needs. */
const pluginLists = ["plugins", "extra_plugins", "optional_plugins", "without_plugins", "isolated_plugins"];
const isList = (key: string): boolean => pluginLists.includes(key);

function withoutLists(tree: Readonly<Record<string, unknown>>): {
  readonly lists: readonly string[];
  readonly config: Readonly<Record<string, unknown>>;
} {
  const config = Object.fromEntries(Object.entries(tree).filter(([key]) => !isList(key)));
  return { lists: Object.keys(tree).filter(isList), config };
}

function listUnread(list: string, file: string): string {
  return `What ${file} says in \`${list}\` is not read for a check: name each plugin beside this one by --with PATH.`;
}

function factsOf(plugin: Plugin): Omit<PluginFacts, "tools"> {
  const { name, sdk, needs = {}, provides = [], taps = [], enforces = [] } = plugin;
  const needed = (Object.values(needs) as readonly AnySlot[]).map(({ id }) => id);
  const slots = { needs: needed, provides: provides.map(({ id }) => id) };
  return { name, sdk, ...slots, taps, enforces, config: configOf(plugin) };
}

// Its parent is gone. This also keeps the process alive if a plugin waits for something that never
// comes.
process.once("disconnect", () => process.exit(1));
const told = await answer(JSON.parse(process.argv[2] ?? "") as Asked);
process.send?.(told);
