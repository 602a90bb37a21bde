import { type AnySlot, type Plugin } from "@gantry/sdk";
import { errors } from "../errors.ts";

/** Sorts plugins so that each comes after all that fill what it needs; the order of the configuration breaks ties. */
export function inOrder(plugins: readonly Plugin[], filledByHost: readonly AnySlot[]): Plugin[] {
  const sorted: Plugin[] = [];
  const open: string[] = [];
  const fillers = (id: string) => plugins.filter((plugin) => plugin.provides?.some((slot) => slot.id === id));
  const visit = (plugin: Plugin): void => {
    if (sorted.includes(plugin)) return;
    if (open.includes(plugin.name)) throw errors.SLOT_CYCLE([...open, plugin.name].join(" -> "));
    open.push(plugin.name);
    for (const slot of Object.values(plugin.needs ?? {}) as AnySlot[]) {
      if (slot.sealed)
        throw errors.PLUGIN_BAD_FACTS(plugin.name, `it needs ${slot.id}, which only the host may read`);
      const from = fillers(slot.id).filter((filler) => filler !== plugin);
      const must = !slot.many && !slot.optional && !filledByHost.some((own) => own.id === slot.id);
      if (from.length === 0 && must) throw errors.SLOT_EMPTY(plugin.name, slot.id, "");
      from.forEach(visit);
    }
    open.pop();
    sorted.push(plugin);
  };
  refuseDoubles(plugins, filledByHost);
  plugins.forEach(visit);
  return sorted;
}

const howToKeepOne = "; `gantry config get plugins` prints the list to put into `plugins` without the other";

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
