import type { AnySlot, Awaitable, Filled, Logger, Plugin } from "@gantry/sdk";
import { HookTable, PluginInstance, Registry } from "@gantry/host";

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Sets a plugin up by itself, hands what it puts into the slot to `work`, and undoes all of it. */
export async function alone<S extends AnySlot, T>(
  plugin: Plugin,
  slot: S,
  work: (filled: Filled<S>) => Awaitable<T>,
): Promise<T> {
  const registry = new Registry();
  const deps = { hooks: new HookTable(silent), registry, log: silent, timeoutMs: 30_000 };
  const scope = new PluginInstance(plugin, Object.freeze({}), deps);
  await scope.setup();
  try {
    return await work(registry.get(slot) as Filled<S>);
  } finally {
    await scope.dispose();
  }
}
