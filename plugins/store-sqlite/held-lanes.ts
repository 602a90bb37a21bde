import type { Lanes } from "@gantry/sdk/fill";
import type { LaneClock } from "./clock.ts";
import type { Database } from "./database.ts";

const RENEW = "UPDATE lanes SET until = ?, ready = max(due, ?) WHERE lane = ? AND holder = ?";
const HELD = "SELECT 1 FROM lanes WHERE lane = ? AND holder = ? AND until > ?";
/** A lease that is asked for holds at least so long: its holder renews it meanwhile. */
const atLeastMs = 20_000;

/** Prolongs leases, and says which are still this process's and which another has taken. */
export function createHeld(
  db: Database,
  clock: LaneClock,
): Pick<Lanes, "renew"> & Required<Pick<Lanes, "isHeld">> {
  const renew: Lanes["renew"] = ({ lane, token }, leaseMs) => {
    const renewed = () =>
      db.write((sql) => {
        const until = clock.now() + leaseMs;
        return sql.run(RENEW, until, until, lane, token) > 0;
      });
    return clock.whenRight(renewed);
  };
  return {
    renew,
    async isHeld(lease) {
      const { lane, token } = lease;
      const isSure = () =>
        db.read((sql) => sql.get(HELD, lane, token, clock.now() + atLeastMs / 2) !== undefined);
      // One that ran out is this process's as long as no other has taken the lane.
      return (await clock.whenRight(isSure)) || renew(lease, atLeastMs);
    },
  };
}
