import { type AnySlot, type Filled } from "@gantry/sdk";
import { errors } from "./errors.ts";

interface Entry {
  readonly value: unknown;
  readonly plugin: string;
}

/** The fillers of each slot, and who put them there. Knows no kind of plugin by name. */
export class Registry {
  readonly #filled = new Map<string, Map<string, Entry>>();
  /** The fillers of each slot of many, by name, since it last changed. */
  readonly #views = new Map<string, ReadonlyMap<string, unknown>>();

  /** Gives the function that takes the value out again. */
  put(plugin: string, slot: AnySlot, value: any): () => void {
    const wrong = slot.many && typeof value?.name !== "string" ? "has no name" : slot.check?.(value);
    if (wrong)
      throw errors.SLOT_BAD_VALUE(plugin, slot.many ? `${slot.id}.${value?.name ?? "?"}` : slot.id, wrong);
    const key: string = slot.many ? value.name : "";
    const entries = this.#filled.get(slot.id) ?? new Map<string, Entry>();
    const taken = entries.get(key);
    if (taken) throw errors.SLOT_TAKEN(plugin, slot.many ? `${slot.id}.${key}` : slot.id, taken.plugin, "");
    this.#filled.set(slot.id, entries.set(key, { value, plugin }));
    this.#views.delete(slot.id);
    return () => {
      entries.delete(key);
      this.#views.delete(slot.id);
    };
  }

  /**
   * Returns what fills the slot now. For a slot of many it is a map that all who ask share: whoever
   * hands it on to a plugin copies it.
   */
  get<S extends AnySlot>(slot: S): Filled<S> | undefined {
    const entries = this.#filled.get(slot.id);
    if (!slot.many) return entries?.get("")?.value as Filled<S> | undefined;
    const view =
      this.#views.get(slot.id) ?? new Map([...(entries ?? [])].map(([name, { value }]) => [name, value]));
    this.#views.set(slot.id, view);
    return view as unknown as Filled<S>;
  }

  list(): { slot: string; name: string; plugin: string }[] {
    return [...this.#filled].flatMap(([slot, entries]) =>
      [...entries].map(([name, { plugin }]) => ({ slot, name, plugin })),
    );
  }
}
