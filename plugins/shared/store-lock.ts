import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "@gantry/sdk";

/** Longer than any request to a token server takes; a holder that died is over after it. */
const leaseMs = 40_000;
const pollMs = 50;

/** A right that one process has at a time, on whatever node; both names are the plugin's own. */
export interface StoreLock {
  readonly space: string;
  readonly key: string;
}

/** Runs `work` in one process at a time, where there is a store to agree through. */
export async function withLock<T>(
  store: Store | undefined,
  { space, key }: StoreLock,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  if (!store) return work();
  const holder = randomUUID();
  while (!(await store.values.add(space, key, holder, { forMs: leaseMs })))
    await sleep(pollMs, undefined, { signal });
  try {
    return await work();
  } finally {
    // One that ran out may be somebody else's now.
    await store.values.removeIf(space, key, holder);
  }
}
