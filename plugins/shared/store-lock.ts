import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "@gantry/sdk";

const SPACE = "genlang-lock";
/** Longer than any request to the token server takes; a holder that died is over after it. */
const LEASE_MS = 40_000;
const POLL_MS = 50;

/** Runs `work` in one process at a time, where there is a store to agree through. */
export async function withLock<T>(
  store: Store | undefined,
  key: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  if (!store) return work();
  const holder = randomUUID();
  while (!(await store.values.add(SPACE, key, holder, { forMs: LEASE_MS })))
    await sleep(POLL_MS, undefined, { signal });
  try {
    return await work();
  } finally {
    // One that ran out may be somebody else's now.
    await store.values.removeIf(SPACE, key, holder);
  }
}
