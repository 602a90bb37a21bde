import { PassThrough, type Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { eventFrame } from "@gantry/sdk/fill";
import type { ServerEvent } from "@gantry/sdk";

/**
 * Server-sent events as text, with a comment every `heartbeatMs`, so that proxies keep the line. `broke` is told what the
 * events themselves throw, which the client cannot be told any more.
 */
export function eventStream(
  events: AsyncIterable<ServerEvent>,
  heartbeatMs: number,
  broke: (error: unknown) => void,
): Readable {
  const out = new PassThrough();
  const beat = (): void => {
    if (out.writable && !out.writableNeedDrain) out.write(":\n\n");
  };
  const timer = setInterval(beat, heartbeatMs);
  out.once("close", () => clearInterval(timer));
  beat();
  // What ends the events early ends the stream early; the client sees that no `done` came.
  pipeline(frames(events, broke), out).catch(() => {});
  return out;
}

async function* frames(
  events: AsyncIterable<ServerEvent>,
  broke: (error: unknown) => void,
): AsyncGenerator<string, void> {
  try {
    for await (const event of events) yield eventFrame(event);
  } catch (error) {
    broke(error);
    throw error;
  }
}
