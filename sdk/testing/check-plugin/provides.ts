import type { AnySlot, Plugin } from "../../index.ts";

/** Whether a plugin states that it fills this slot; not so where it states no list, which the host refuses with a sentence. */
export function provides({ provides: slots }: Plugin, slot: AnySlot): boolean {
  return Array.isArray(slots) && slots.some((own: AnySlot | undefined) => own?.id === slot.id);
}
