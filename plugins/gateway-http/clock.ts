import { uptime } from "node:os";
import type { CheckRow } from "@gantry/sdk";

/** Corrections of clocks up to this size are usual. */
const usualMs = 60_000;
/** A clock that went on evenly for this long counts as right. */
const steadyMs = 15 * 60_000;

/**
 * Notices if the clock of the day is set to another time while the service runs: leases, tokens and
 * certificates go by it. It is compared with the time that has passed since the machine started,
 * which goes on while a machine sleeps.
 */
export class Clock {
  #right = offset();
  #now = this.#right;
  #since = uptime();

  rows(): readonly CheckRow[] {
    const now = offset();
    if (Math.abs(now - this.#now) > usualMs) this.#since = uptime();
    this.#now = now;
    const off = now - this.#right;
    if (Math.abs(off) <= usualMs || (uptime() - this.#since) * 1_000 > steadyMs) {
      this.#right = now;
      return [];
    }
    const detail = `the clock of this machine was set ${off > 0 ? "forward" : "back"} by ${shown(Math.abs(off))}`;
    return [{ what: "clock", state: "warn", detail, cure: "Set it right, and let it follow a time server." }];
  }
}

/** Returns the time at which the machine started, by the clock of the day. */
function offset(): number {
  return Date.now() - uptime() * 1_000;
}

function shown(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return `${minutes} minutes`;
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} hours` : `${Math.round(minutes / 1_440)} days`;
}
