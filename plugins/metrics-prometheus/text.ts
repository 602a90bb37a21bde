import type { Counters } from "./counters.ts";
import { gaugeLines, type Watched } from "./gauges.ts";
import { withHelp } from "./help.ts";

/** Returns all that is counted and how the service is now, in the text format of Prometheus. */
export async function metricsText(counters: Counters, watched: Watched): Promise<string> {
  const lines = [...counters.lines(), ...(await gaugeLines(watched))];
  return `${[...withHelp(lines)].join("\n")}\n`;
}
