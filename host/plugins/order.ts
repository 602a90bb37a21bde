import { Runtime, type AnySlot, type Plugin } from "@gantry/sdk";
import { errors } from "./errors.ts";
import type { Registry } from "./registry.ts";

/**
 * Sorts plugins so that each comes after all that fill what it needs; ties are broken by the order
 * of the configuration. If one is missing, those of `bundled` that fill its slot are named.
 */
export async function inOrder(
  plugins: readonly Plugin[],
  filledByHost: readonly AnySlot[],
  bundled: () => Promise<readonly Plugin[]>,
): Promise<readonly Plugin[]> {
  const sorted: Plugin[] = [];
  const open: string[] = [];
  const visit = async (plugin: Plugin): Promise<void> => {
    if (sorted.includes(plugin)) return;
    if (open.includes(plugin.name)) throw errors.SLOT_CYCLE([...open, plugin.name].join(" -> "));
    open.push(plugin.name);
    for (const slot of Object.values(plugin.needs ?? {}) as AnySlot[]) {
      if (slot.sealed)
        throw errors.PLUGIN_BAD_FACTS(plugin.name, `it needs ${slot.id}, which only the host may read`);
      const from = fillersOf(slot.id, plugins).filter((filler) => filler !== plugin);
      const must = !slot.many && !slot.optional && !filledByHost.some((own) => own.id === slot.id);
      if (from.length === 0 && must)
        throw errors.SLOT_EMPTY(plugin.name, slot.id, howToFill(fillersOf(slot.id, await bundled())));
      // A slot of many is read when it is used, so its filler need not be set up before.
      for (const filler of from) if (!slot.many || !open.includes(filler.name)) await visit(filler);
    }
    open.pop();
    sorted.push(plugin);
  };
  refuseDoubles(plugins, filledByHost);
  for (const plugin of plugins) await visit(plugin);
  return sorted;
}

/** Returns those of `plugins` that fill a slot. */
export function fillersOf(id: string, plugins: readonly Plugin[]): readonly Plugin[] {
  return plugins.filter((plugin) => plugin.provides?.some((slot) => slot.id === id));
}

/** Returns the cure for an empty slot, the end of a sentence; `bundled` are those that fill it. */
export function howToFill(bundled: readonly Plugin[]): string {
  return bundled.length > 0
    ? `: list ${bundled.map(({ name }) => name).join(" or ")}, which comes with Gantry`
    : ", and none that comes with Gantry does: list one that does, as its author says";
}

/** Returns what has the configuration fill an empty slot, the end of a sentence. */
export async function fillCure(registry: Registry, slot: AnySlot): Promise<string> {
  const absent = (await registry.get(Runtime)?.absent?.()) ?? [];
  const fillers = absent.filter(({ provides }) => provides.includes(slot.id));
  const cures = fillers.map(({ cure }) => cure).join(", or ");
  return `: ${cures || "list one, see `gantry plugins list`"}`;
}

const howToKeepOne =
  "; the other one is left out by `without_plugins` where it comes with Gantry, else taken off its list";

/** A slot for one value with two fillers is refused before any setup runs. */
function refuseDoubles(plugins: readonly Plugin[], filledByHost: readonly AnySlot[]): void {
  const by = new Map(filledByHost.map((slot) => [slot.id, "the host"]));
  for (const plugin of plugins) {
    for (const slot of plugin.provides ?? []) {
      if (slot.many) continue;
      const other = by.get(slot.id);
      if (other)
        throw errors.SLOT_TAKEN(plugin.name, slot.id, other, other === "the host" ? "" : howToKeepOne);
      by.set(slot.id, plugin.name);
    }
  }
}
