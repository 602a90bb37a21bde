/**
 * A named place in the host that plugins fill and read. The token carries the type, so nothing is
 * merged anywhere.
 */
export interface Slot<T, Many extends boolean = boolean, Optional extends boolean = boolean> {
  readonly id: string;
  readonly many: Many;
  /** True if a plugin can live without it: `host.needs.x` may then be undefined. */
  readonly optional: Optional;
  /**
   * Returns what is wrong with a value, as in "fills tools with a value that %s", else undefined.
   */
  check?(value: unknown): string | undefined;
  /** Filled by plugins and read by the host alone, so that nothing can go around it. */
  readonly sealed?: boolean;
  /** Type only; never set. */
  readonly T?: T;
}

/** A slot of any shape, for places that only move slots around. */
export type AnySlot = Slot<any>;

/** The result of reading a slot: a map by name, one value, or one value or undefined. */
export type Filled<S> =
  S extends Slot<infer T, infer Many, infer Optional>
    ? [Many] extends [true]
      ? ReadonlyMap<string, T>
      : [Optional] extends [true]
        ? T | undefined
        : T
    : never;

/** Makes a slot for one value in the whole host: a store, a sandbox. */
export function one<T>(id: string, check?: AnySlot["check"]): Slot<T, false, false> {
  return Object.freeze({ id, many: false, optional: false, ...(check && { check }) });
}

/** Makes a slot for many values, each with a name of its own: tools, channels. */
export function many<T extends { readonly name: string }>(
  id: string,
  check?: AnySlot["check"],
  sealed = false,
): Slot<T, true, false> {
  return Object.freeze({ id, many: true, optional: false, sealed, ...(check && { check }) });
}

/** Returns the same slot, which a plugin then needs only if something fills it. */
export function optional<T>(slot: Slot<T, false, false>): Slot<T, false, true> {
  return Object.freeze({ ...slot, optional: true });
}
