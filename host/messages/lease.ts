import type { Lanes, Lease } from "@gantry/sdk/fill";
import { holdLane } from "@gantry/sdk/node";
import { errors } from "./errors.ts";

/** How long a caller waits for a conversation that another process holds. */
const patienceMs = 120_000;
const askAgainMs = 100;

/** Keeps other processes out of the conversation. */
export async function take(lanes: Lanes, session: string, signal: AbortSignal): Promise<Lease> {
  const begun = performance.now();
  for (;;) {
    const lease = await holdLane(lanes, session);
    if (lease) return lease;
    if (signal.aborted) throw errors.TURN_CANCELLED();
    if (performance.now() - begun > patienceMs) throw errors.SESSION_BUSY(session);
    // A terminal that was killed in the middle of its turn holds nobody up.
    await lanes.recover();
    await new Promise((resolve) => setTimeout(resolve, askAgainMs));
  }
}
