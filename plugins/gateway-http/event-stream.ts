import { PassThrough, type Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ServerEvent } from "@gantry/sdk";

/** Server-sent events as text, with a comment every `heartbeatMs`, so that proxies keep the line. */
export function eventStream(events: AsyncIterable<ServerEvent>, heartbeatMs: number): Readable {
  const out = new PassThrough();
  const beat = (): void => {
    if (out.writable && !out.writableNeedDrain) out.write(":\n\n");
  };
  const timer = setInterval(beat, heartbeatMs);
  out.once("close", () => clearInterval(timer));
  beat();
  // What ends the events early ends the stream early; the client sees that no `done` came.
  pipeline(frames(events), out).catch(() => {});
  return out;
}

async function* frames(events: AsyncIterable<ServerEvent>): AsyncGenerator<string, void> {
  for await (const event of events) {
    if ("raw" in event) yield event.raw;
    else
      yield `${event.event === undefined ? "" : `event: ${event.event}\n`}data: ${JSON.stringify(event.data)}\n\n`;
  }
}
