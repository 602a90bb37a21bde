import type { Logger } from "@gantry/sdk";

const pauseMs = 60_000;
const maxKinds = 100;

/** Says a failure once a minute at most, and then how often it came meanwhile: a full disk fails every request. */
export function createFailureLog(
  log: Logger,
  now: () => number = Date.now,
): (error: Error, route: string | undefined) => void {
  const kinds = new Map<string, { until: number; unsaid: number }>();
  return (error, route) => {
    const kind = `${route} ${error.message}`;
    const last = kinds.get(kind);
    if (last && last.until > now()) {
      last.unsaid += 1;
      return;
    }
    if (kinds.size >= maxKinds) kinds.clear();
    kinds.set(kind, { until: now() + pauseMs, unsaid: 0 });
    const times = last?.unsaid ? ` (${last.unsaid} times more in the last minutes)` : "";
    log.error({ err: error, route }, `A request failed: ${error.message}${times}`);
  };
}
