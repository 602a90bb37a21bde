import type { Values } from "../../index.ts";

import type { StoreState } from "./state.ts";

export function values(spaces: StoreState["values"]): Values {
  const live = (space: string, key: string): { value: unknown } | undefined => {
    const entry = spaces.get(space)?.get(key);
    return entry && entry.expires > Date.now() ? entry : undefined;
  };
  const put = (space: string, key: string, value: unknown, expires = Number.POSITIVE_INFINITY): void => {
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
    put: async (space, key, value, expires) => put(space, key, value, expires),
    add: async (space, key, value, expires) => {
      if (live(space, key)) return false;
      put(space, key, value, expires);
      return true;
    },
    take: async <T>(space: string, key: string) => {
      const entry = live(space, key);
      remove(space, key);
      return entry?.value as T | undefined;
    },
    remove: async (space, key) => remove(space, key),
    list: async <T>(space: string) =>
      [...(spaces.get(space)?.keys() ?? [])]
        .filter((key) => live(space, key))
        .map((key) => ({ key, value: structuredClone(live(space, key)?.value) as T })),
  };
}
