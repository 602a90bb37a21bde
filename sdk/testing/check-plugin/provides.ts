import type { AnySlot, Plugin } from "../../index.ts";

/** Whether a plugin states that it fills this slot. */
export function provides({ provides: slots }: Plugin, slot: AnySlot): boolean {
  // What is no list is refused by the host, with a sentence.
  return Array.isArray(slots) && slots.some((own: AnySlot | undefined) => own?.id === slot.id);
}
