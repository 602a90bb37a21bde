import type { Limits } from "../../index.ts";
import type { StoreState } from "./state.ts";

export function limits(hits: StoreState["hits"], now: () => number): Limits {
  const since = (key: string, ms: number): readonly number[] =>
    (hits.get(key) ?? []).filter((time) => time > now() - ms);
  return {
    hit: async (key, windows) => {
      const full = windows
        .map((window) => ({ window, times: since(key, window.ms) }))
        .filter(({ window, times }) => times.length >= window.max)
        .map(({ window, times }) => ({
          window,
          retryAfterMs: (times[times.length - window.max] ?? now()) + window.ms - now(),
        }))
        .toSorted((a, b) => b.retryAfterMs - a.retryAfterMs);
      if (full[0]) return { ok: false, ...full[0] };
      hits.set(key, [...(hits.get(key) ?? []), now()]);
      return { ok: true };
    },
    count: async (key, ms) => since(key, ms).length,
  };
}
