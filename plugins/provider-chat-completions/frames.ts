import { errors } from "@gantry/sdk";
import { parseJson, WHOLE_ANSWER } from "@gantry/sdk/provider";
import type { Endpoint } from "./endpoint.ts";
import type { Line } from "./socket-pool.ts";

const WHOLE_BYTES = 16 * 1024 * 1024;

/**
 * The JSON values of one answer over a connection, until the other side closes it; the connection
 * itself stays open when the reader stops. Bounded in bytes, in silence and as a whole. Throws
 * `PROVIDER_*`, `NET_*`, or when `signal` is aborted.
 */
export async function* jsonFrames(
  line: Line,
  endpoint: Endpoint,
  signal: AbortSignal,
): AsyncGenerator<unknown, void> {
  const { name, timeoutMs } = endpoint;
  const end = Date.now() + timeoutMs * WHOLE_ANSWER;
  for (let bytes = 0; ;) {
    const wait = Math.min(timeoutMs, end - Date.now());
    const next = await within(line.frames.next(), wait, signal, () =>
      errors.PROVIDER_TIMEOUT(name, timeoutMs / 1000),
    );
    if (next.done) return;
    bytes += next.value.length;
    if (bytes > WHOLE_BYTES) throw errors.PROVIDER_TOO_LARGE(name, WHOLE_BYTES);
    yield parseJson(next.value, name);
  }
}

/** Returns the promise's value, unless time or the signal comes first. */
async function within<T>(
  promise: Promise<T>,
  ms: number,
  signal: AbortSignal,
  late: () => Error,
): Promise<T> {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const cancel = () => reject(signal.reason);
  const timer = setTimeout(() => reject(late()), ms);
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    return await Promise.race([promise, stopped]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
    promise.catch(() => {});
  }
}
