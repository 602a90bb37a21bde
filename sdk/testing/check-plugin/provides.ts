import type { AnySlot, Plugin } from "../../index.ts";

/** Returns true if a plugin states that it fills this slot. */
export function provides({ provides: slots }: Plugin, slot: AnySlot): boolean {
  // The host refuses a value that is not a list, with a sentence.
  return Array.isArray(slots) && slots.some((own: AnySlot | undefined) => own?.id === slot.id);
}
