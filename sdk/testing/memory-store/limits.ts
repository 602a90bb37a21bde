import type { Limits } from "../../index.ts";

import type { StoreState } from "./state.ts";

export function limits(hits: StoreState["hits"]): Limits {
  return {
    hit: async (key, windows, now) => {
      const times = hits.get(key) ?? [];
      for (const window of windows) {
        const inside = times.filter((time) => time > now - window.ms);
        if (inside.length >= window.max)
          return { ok: false, window, retryAt: (inside[inside.length - window.max] ?? now) + window.ms };
      }
      hits.set(key, [...times, now]);
      return { ok: true };
    },
    count: async (key, ms, now) => (hits.get(key) ?? []).filter((time) => time > now - ms).length,
  };
}
