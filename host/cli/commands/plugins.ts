import { stat } from "node:fs/promises";
import path from "node:path";
import { Channels, errors, type AnySlot, type Plugin } from "@gantry/sdk";
import { MessageWorker } from "@gantry/sdk/fill";
import { expandHome, readPluginLock } from "@gantry/sdk/node";
import {
  type Bundled,
  bundledPlugins,
  entryIn,
  type LoadedPlugin,
  loadPlugin,
  loadsOf,
  mergeSchemas,
  type Opened,
  readerOf,
} from "@gantry/host";
import { leaves } from "../config/leaves.ts";
import { retiredKeys } from "../config/retired.ts";
import type { HostCommandContext } from "./host-command.ts";

interface Facts {
  readonly name: string;
  readonly from: string;
  readonly summary: string;
  readonly sdk: number;
  readonly needs: readonly string[];
  readonly provides: readonly string[];
  readonly taps: readonly string[];
  readonly enforces: readonly string[];
  readonly table: string;
  readonly keys: readonly string[];
  /** The layout of what it keeps on disk. */
  readonly layout?: number;
}

/** Imports what is listed, runs nothing of it; what is not listed is not even imported. */
export async function list(run: HostCommandContext): Promise<number> {
  const opened = await run.session.open();
  const { plugins, config, absent } = opened;
  const loaded = plugins.map(({ plugin, from }) => factsOf(plugin, from));
  const available = (await bundledPlugins())
    .filter(({ name }) => !loaded.some((facts) => facts.name === name))
    .map(({ name }) => name);
  const { configDir } = run.session;
  const installed = Object.keys(await readPluginLock(configDir)).filter((name) => {
    const folder = path.join(configDir, "node_modules", name) + path.sep;
    return !loaded.some(({ from }) => from.startsWith(folder));
  });
  if (run.options["json"]) {
    const stops = await unserved(opened);
    // Earlier releases do not know `stops` and show people this list.
    const retired = [...retiredKeys(config).map(({ message }) => message), ...stops];
    const { node } = process.versions;
    const others = { available, installed, absent, retired, stops, node };
    run.out(JSON.stringify({ loaded, ...others }, undefined, 2));
    return 0;
  }
  const width = Math.max(...loaded.map(({ name }) => name.length));
  for (const { name, summary, from } of loaded)
    run.out(`${name.padEnd(width)}  ${summary}${from === "bundled" ? "" : ` (${from})`}`);
  if (available.length > 0) run.out(`not loaded: ${available.join(", ")}`);
  if (installed.length > 0) run.out(`installed and not listed: ${installed.join(", ")}`);
  return 0;
}

/** Returns why the service would not start, though the configuration can be read. */
async function unserved({ plugins, config }: Opened): Promise<readonly string[]> {
  const fills = ({ id }: AnySlot): boolean =>
    plugins.some(({ plugin }) => plugin.provides?.some((slot) => slot.id === id));
  if (!fills(Channels) || fills(MessageWorker)) return [];
  const { id } = MessageWorker;
  const fillers = (await bundledPlugins()).filter(({ provides = [] }) => provides.includes(id));
  const cures = fillers.map(({ name }) => loadsOf(config.text, name)).join(", or ");
  return [`A channel is listed and no plugin works off its messages: ${cures}.`];
}

/**
 * One that is loaded, one that comes with Gantry, one that is installed, or the path of one that is
 * not listed yet; its code is imported and not set up.
 */
export async function inspect(run: HostCommandContext): Promise<number> {
  const [wanted = ""] = run.args;
  const bundled = await bundledPlugins();
  const isPath = /^(?:\.{0,2}|~)$|^[^@].*\/|^\//.test(wanted);
  const found = isPath
    ? await loadPlugin(await fileOf(wanted), run.session.configDir, bundled)
    : await named(run, wanted, bundled);
  const none = `\`gantry plugins list\` shows no plugin \`${wanted}\`, and a path begins with \`./\` or \`/\``;
  if (!found) throw errors.USAGE(none, "plugins inspect ");
  const facts = factsOf(found.plugin, found.from);
  if (run.options["json"]) {
    run.out(JSON.stringify(facts, undefined, 2));
    return 0;
  }
  for (const [key, value] of Object.entries(facts))
    run.out(`${key.padEnd(9)} ${Array.isArray(value) ? value.join(", ") || "-" : value}`);
  return 0;
}

/** A file as it is, or the module of a plugin's folder. */
async function fileOf(wanted: string): Promise<string> {
  const at = path.resolve(expandHome(wanted));
  const isFolder = (await stat(at).catch(() => undefined))?.isDirectory() === true;
  return isFolder ? entryIn(at) : at;
}

async function named(
  run: HostCommandContext,
  wanted: string,
  bundled: readonly Bundled[],
): Promise<LoadedPlugin | undefined> {
  const { configDir } = run.session;
  const { plugins } = await run.session.open();
  const loaded = plugins.find(({ plugin }) => plugin.name === wanted);
  if (loaded) return loaded;
  const known = [...bundled.map(({ name }) => name), ...Object.keys(await readPluginLock(configDir))];
  const name = known.find((one) => one === wanted || one === `gantry-plugin-${wanted}`);
  return name === undefined ? undefined : loadPlugin(name, configDir, bundled);
}

function factsOf(plugin: Plugin, from: string): Facts {
  const reader = readerOf(plugin);
  const keys = reader ? [...leaves(mergeSchemas([reader]))].map(({ key }) => key) : [];
  return {
    name: plugin.name,
    from,
    summary: plugin.summary ?? "",
    sdk: plugin.sdk,
    needs: slotNames(Object.values(plugin.needs ?? {}) as AnySlot[]),
    provides: slotNames(plugin.provides ?? []),
    taps: plugin.taps ?? [],
    enforces: plugin.enforces ?? [],
    table: reader?.table ?? "",
    keys,
    ...(plugin.layout !== undefined && { layout: plugin.layout }),
  };
}

function slotNames(list: readonly AnySlot[]): string[] {
  return list.map(({ id, optional: maybe }) => (maybe ? `${id}?` : id));
}
