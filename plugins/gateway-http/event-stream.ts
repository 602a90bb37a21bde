import { PassThrough, type Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { eventFrame } from "@gantry/sdk/fill";
import type { ServerEvent } from "@gantry/sdk";
import { lastMs } from "./timeouts.ts";

/**
 * Returns server-sent events as text, with a comment every `heartbeatMs`, so that proxies keep the
 * line. `broke` is told what the events themselves throw, which the client cannot be told any more.
 * They end half a second after `ending` at the latest.
 */
export function eventStream(
  events: AsyncIterable<ServerEvent>,
  heartbeatMs: number,
  broke: (error: unknown) => void,
  ending?: AbortSignal,
): Readable {
  const out = new PassThrough();
  const beat = (): void => {
    if (out.writable && !out.writableNeedDrain) out.write(":\n\n");
  };
  const timer = setInterval(beat, heartbeatMs);
  out.once("close", () => clearInterval(timer));
  beat();
  // An early end of the events is an early end of the stream; the client sees that no `done` came.
  pipeline(frames(events, broke, over(out, ending)), out).catch(() => {});
  return out;
}

async function* frames(
  events: AsyncIterable<ServerEvent>,
  broke: (error: unknown) => void,
  end: AbortSignal,
): AsyncGenerator<string, void> {
  const iterator = events[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await until(iterator.next(), end);
      if (!next || next.done) return;
      yield eventFrame(next.value);
    }
  } catch (error) {
    broke(error);
    throw error;
  } finally {
    // Events that wait for something hear of it by their signal: nobody waits for them.
    void iterator.return?.().catch(() => {});
  }
}

/** Returns a signal that is aborted when the last event has had its time. */
function over(out: Readable, ending: AbortSignal | undefined): AbortSignal {
  const end = new AbortController();
  const soon = (): void => void setTimeout(() => end.abort(), lastMs).unref();
  if (ending?.aborted) soon();
  ending?.addEventListener("abort", soon, { once: true });
  out.once("close", () => ending?.removeEventListener("abort", soon));
  return end.signal;
}

/** Resolves with what the work comes to, or with undefined once `end` is aborted. */
function until<T>(work: Promise<T>, end: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const cut = (): void => resolve(undefined);
    end.addEventListener("abort", cut, { once: true });
    if (end.aborted) cut();
    work.then(resolve, reject).finally(() => end.removeEventListener("abort", cut));
  });
}
