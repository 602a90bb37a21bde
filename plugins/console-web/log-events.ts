import type { Route, ServerEvent } from "@gantry/sdk";
import { hearLines, type LogLine } from "@gantry/sdk/node";

/** Lines that wait for a reader; of more the oldest are left out and counted. */
const mostWaiting = 500;
/** Characters of one message. */
const mostText = 4_000;

/** Tells the lines of the log as they are written. Nothing is kept while nobody listens. */
export const logWork: Route["handle"] = async ({ signal }) => ({
  status: 200,
  events: lines(signal),
});

async function* lines(signal: AbortSignal): AsyncGenerator<ServerEvent, void> {
  const waiting: LogLine[] = [];
  let leftOut = 0;
  let go: (() => void) | undefined;
  const wake = (): void => go?.();
  const stop = hearLines((line) => {
    waiting.push({ ...line, message: line.message.slice(0, mostText) });
    if (waiting.length > mostWaiting) leftOut += Number(waiting.shift() !== undefined);
    wake();
  });
  signal.addEventListener("abort", wake, { once: true });
  try {
    yield { event: "open", data: {} };
    while (!signal.aborted) {
      if (leftOut > 0) yield { event: "left_out", data: { count: leftOut } };
      leftOut = 0;
      for (const line of waiting.splice(0)) yield { event: "line", data: line };
      if (waiting.length === 0 && !signal.aborted) await new Promise<void>((resolve) => (go = resolve));
    }
  } finally {
    stop();
    signal.removeEventListener("abort", wake);
  }
}
