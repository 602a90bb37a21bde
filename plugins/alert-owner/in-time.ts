import { withTimeout } from "@gantry/sdk/node";

const patienceMs = 5_000;

/** Returns the store's answer; a store that hangs counts as one that fails. */
export async function inTime<T>(ask: () => Promise<T>): Promise<T> {
  return withTimeout(patienceMs, ask(), () => new Error("the store does not answer"));
}
