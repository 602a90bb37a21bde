import type { AnySlot, Logger, Plugin } from "@gantry/sdk";
import { errors } from "./errors.ts";
import type { HookTable } from "./hook-table.ts";
import type { LoadedPlugin } from "./loader.ts";
import { inOrder } from "./order.ts";
import { PluginInstance } from "./plugin-instance.ts";
import type { Registry } from "./registry.ts";
import type { Lacking } from "./setup-fault.ts";

export interface PluginSetDeps {
  readonly plugins: readonly LoadedPlugin[];
  readonly hooks: HookTable;
  readonly registry: Registry;
  readonly log: Logger;
  /** The plugins that come with the host, loaded or not. */
  readonly bundled: () => Promise<readonly Plugin[]>;
  /** Each plugin's checked part of the configuration, by the plugin's name. */
  readonly parts: ReadonlyMap<string, unknown>;
  /** Milliseconds for each setup, onReady and onDispose. */
  readonly timeoutMs: number | undefined;
}

/** The plugins of one host, from setup to dispose. */
export class PluginSet {
  /** The names of the plugins that are left out or have failed since the start. */
  readonly failed: Set<string> = new Set();
  /** Why channels were not set up: without them nothing serves, and all else goes on. */
  readonly lacking: Lacking[] = [];
  readonly #deps: PluginSetDeps;
  readonly #running: PluginInstance[] = [];

  constructor(deps: PluginSetDeps) {
    this.#deps = deps;
  }

  /** Fills the host's `own` slots and sets plugins up in order of need. Throws PLUGIN_*, SLOT_*. */
  async setup(own: ReadonlyMap<AnySlot, unknown>): Promise<void> {
    const { plugins, registry, bundled, parts, timeoutMs = 30_000 } = this.#deps;
    const all = plugins.map(({ plugin }) => plugin);
    const names = all.map(({ name }) => name);
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    if (twice !== undefined) throw errors.PLUGIN_TWICE(twice);
    const sorted = await inOrder(all, [...own.keys()], bundled);
    for (const [slot, value] of own) registry.put("host", slot, value);
    for (const plugin of sorted) {
      const part = parts.get(plugin.name) ?? Object.freeze({});
      const instance = new PluginInstance(plugin, part, { ...this.#deps, timeoutMs });
      const isOptional = plugins.some((one) => one.optional && one.plugin.name === plugin.name);
      const failed = await instance.setup().catch((error: Error) => error);
      if (!failed) this.#running.push(instance);
      else if (isOptional) this.leaveOut(plugin.name, failed);
      else if ("lacking" in failed) this.lacking.push(failed as Lacking);
      else throw failed;
    }
  }

  leaveOut(plugin: string, why: Error): void {
    this.failed.add(plugin);
    const { code, message } = errors.PLUGIN_LEFT_OUT(plugin, why.message);
    this.#deps.log.warn({ plugin, code }, message);
  }

  async ready(): Promise<void> {
    for (const instance of this.#running) await instance.ready();
  }

  /** Loads what may be needed while serving: once something has failed, it might not load. */
  async prepare(): Promise<void> {
    for (const instance of this.#running) await instance.prepare();
  }

  /** Undoes everything, the last plugin first. */
  async dispose(): Promise<void> {
    for (const instance of this.#running.splice(0).toReversed()) await instance.dispose();
  }
}
