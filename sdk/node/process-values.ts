import type { ValueLife, ValuePage, Values } from "../store/store.ts";

/** Values by space and key, each with the time of its end as Unix ms. */
export type ValueSpaces = Map<string, Map<string, { value: unknown; expires: number }>>;

/** Returns values that end with the process, for tests and for a host without a store. */
export function valuesOfProcess(spaces: ValueSpaces = new Map(), now: () => number = Date.now): Values {
  const live = (space: string, key: string): { value: unknown } | undefined => {
    const entry = spaces.get(space)?.get(key);
    return entry && entry.expires > now() ? entry : undefined;
  };
  const put = (space: string, key: string, value: unknown, { forMs = Infinity }: ValueLife = {}): void => {
    const expires = now() + forMs;
    const entries = spaces.get(space) ?? new Map<string, { value: unknown; expires: number }>();
    spaces.set(space, entries.set(key, { value: structuredClone(value), expires }));
  };
  const remove = (space: string, key: string): boolean => {
    const known = live(space, key) !== undefined;
    spaces.get(space)?.delete(key);
    return known;
  };
  return {
    get: async <T>(space: string, key: string) => structuredClone(live(space, key)?.value) as T | undefined,
    put: async (space, key, value, life) => put(space, key, value, life),
    add: async (space, key, value, life) => {
      if (live(space, key)) return false;
      put(space, key, value, life);
      return true;
    },
    take: async <T>(space: string, key: string) => {
      const entry = live(space, key);
      remove(space, key);
      return entry?.value as T | undefined;
    },
    remove: async (space, key) => remove(space, key),
    removeIf: async (space, key, value) =>
      JSON.stringify(live(space, key)?.value) === JSON.stringify(value) && remove(space, key),
    list: async <T>(space: string, { limit, prefix = "", after }: ValuePage) =>
      [...(spaces.get(space)?.keys() ?? [])]
        .filter((key) => key.startsWith(prefix) && (after === undefined || key > after) && live(space, key))
        .toSorted()
        .slice(0, limit)
        .map((key) => ({ key, value: structuredClone(live(space, key)?.value) as T })),
  };
}
