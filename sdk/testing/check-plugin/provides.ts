import type { AnySlot, Plugin } from "../../index.ts";

/** Whether a plugin states that it fills this slot. */
export function provides({ provides: slots }: Plugin, slot: AnySlot): boolean {
  return slots?.some(({ id }) => id === slot.id) === true;
}
