import { withTimeout } from "@gantry/sdk/node";

const patienceMs = 5_000;

/** What the store answers; one that hangs is as one that fails. */
export async function inTime<T>(ask: () => Promise<T>): Promise<T> {
  return withTimeout(patienceMs, ask(), () => new Error("the store does not answer"));
}
