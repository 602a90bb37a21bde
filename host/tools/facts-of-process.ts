import type { Values } from "@gantry/sdk";

/** Where the facts about questions are kept: each is written once and never changed. */
export type Facts = Pick<Values, "add" | "get" | "take" | "list">;

interface Fact {
  readonly value: unknown;
  /** Unix ms. */
  readonly until: number;
}

/** Facts of a host without a store, which end with it. */
export function factsOfProcess(): Facts {
  const facts = new Map<string, Fact>();
  const live = (name: string): Fact | undefined => {
    const fact = facts.get(name);
    if (fact === undefined || fact.until > Date.now()) return fact;
    facts.delete(name);
    return undefined;
  };
  return {
    async add(space, key, value, { forMs = Infinity } = {}) {
      const name = `${space} ${key}`;
      if (live(name)) return false;
      facts.set(name, { value, until: Date.now() + forMs });
      return true;
    },
    get: async <T>(space: string, key: string) => live(`${space} ${key}`)?.value as T | undefined,
    async take<T>(space: string, key: string) {
      const fact = live(`${space} ${key}`);
      facts.delete(`${space} ${key}`);
      return fact?.value as T | undefined;
    },
    async list<T>(space: string, { limit, prefix = "", after = "" }: Parameters<Facts["list"]>[1]) {
      return [...facts.keys()]
        .filter((name) => name.startsWith(`${space} ${prefix}`) && name > `${space} ${after}` && live(name))
        .toSorted()
        .slice(0, limit)
        .map((name) => ({ key: name.slice(space.length + 1), value: facts.get(name)?.value as T }));
    },
  };
}
