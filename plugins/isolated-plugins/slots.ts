import type { AnySlot, HookName } from "@gantry/sdk";
import * as sdk from "@gantry/sdk";
import * as fill from "@gantry/sdk/fill";

/**
 * The functions of each slot's values that may be asked in another process, as all of them may
 * answer later. A value with any other function does not pass, nor does any other slot.
 */
export const passing: Readonly<Record<string, readonly string[]>> = {
  tools: ["offered", "effects", "preview", "tryFirst", "run"],
};

/** The hooks whose answers pass. */
export const passingHooks: readonly HookName[] = ["beforeToolCall"];

const slots = new Map<string, AnySlot>(
  ([...Object.values(sdk), ...Object.values(fill)] as unknown[])
    .filter(isSlot)
    .map((slot) => [slot.id, slot]),
);

/** Returns a slot of the sdk by its id. */
export function slotOf(id: string): AnySlot | undefined {
  return slots.get(id);
}

function isSlot(value: unknown): value is AnySlot {
  const { id, many } = (Object(value) ?? {}) as Partial<AnySlot>;
  return typeof id === "string" && typeof many === "boolean";
}
