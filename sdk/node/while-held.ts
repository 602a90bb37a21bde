import { errors } from "../contract/codes.ts";
import type { Lanes, Lease } from "../store/lanes.ts";

const leaseMs = 60_000;

/** Takes a lane for {@link whileHeld}; undefined while another has it. */
export function holdLane(lanes: Lanes, lane: string): Promise<Lease | undefined> {
  return lanes.hold(lane, leaseMs);
}

/**
 * Does `work` while the lease is renewed, and releases it afterwards. `lost` is aborted with
 * LEASE_LOST once the lane is another's.
 */
export async function whileHeld<Answer>(
  lanes: Lanes,
  lease: Lease,
  work: (lost: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const lost = new AbortController();
  const renew = async (): Promise<void> => {
    // A store that fails now is asked again; what it keeps in the end, the lease decides.
    const isHeld = await lanes.renew(lease, leaseMs).catch(() => true);
    if (!isHeld) lost.abort(errors.LEASE_LOST(lease.lane));
  };
  const renewing = setInterval(() => void renew(), leaseMs / 3);
  renewing.unref();
  try {
    return await work(lost.signal);
  } finally {
    clearInterval(renewing);
    await lanes.release(lease);
  }
}
