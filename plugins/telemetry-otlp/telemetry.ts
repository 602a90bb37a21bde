import type { Logger, Meters, Observer, Upstream } from "@gantry/sdk";
import { Collector } from "./collector.ts";
import { Export } from "./export.ts";
import { Measurements } from "./measurements.ts";
import { observer } from "./observer.ts";
import type { SentState } from "./sent-state.ts";
import type { Settings } from "./settings.ts";

/** The observer that reports to the collector, and its end. */
export interface Telemetry {
  readonly observer: Observer;
  close(): Promise<void>;
}

/** Puts the pieces together; nothing is sent before something has happened. */
export function telemetry(deps: {
  readonly settings: Settings;
  readonly meters: Meters | undefined;
  readonly upstream: Upstream;
  readonly log: Logger;
  readonly state: SentState;
  readonly version: string;
}): Telemetry {
  const { settings, upstream, log, state } = deps;
  const measurements = new Measurements();
  const collector = new Collector(upstream, settings, log, state);
  const sent = new Export({ ...deps, collector, measurements });
  return {
    observer: observer({
      measurements,
      span: (span) => sent.add(span),
      measured: () => sent.wake(),
      isSampled: (traceId, flags) => isSampled(traceId, flags, settings.sample),
    }),
    close: () => sent.close(),
  };
}

/**
 * Follows whoever began the trace, and chooses by the last 56 bits of its id, so that every node
 * chooses alike.
 */
function isSampled(traceId: string, flags: string, share: number): boolean {
  if ((Number.parseInt(flags, 16) & 1) === 0) return false;
  return Number.parseInt(traceId.slice(-14), 16) < share * 2 ** 56;
}
