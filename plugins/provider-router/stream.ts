import { errors as common } from "@gantry/sdk";
import { failure, thrownFailure } from "@gantry/sdk/provider";
import type { ChatRequest, Provider, ProviderEvent } from "@gantry/sdk";

/** Characters of one answer; an event counts as some even when it is empty, so that neither can go on without end. */
const MOST = 16 * 1024 * 1024;
const PER_EVENT = 16;
/** Nobody reads why: without a reason of ours each answer would make an exception with its stack. */
const over = new Error("The answer is over.");

/**
 * One answer of any provider, made to keep the contract: never throws, ends with exactly one `stop` or `error`, is silent for
 * at most `idleSeconds`, has a size, and ends at once when the request is cancelled. An empty text is a sign of life.
 */
export async function* bounded(
  provider: Provider,
  request: ChatRequest,
  idleSeconds: number,
): AsyncGenerator<ProviderEvent, void> {
  const cut = new AbortController();
  let iterator: AsyncIterator<ProviderEvent> | undefined;
  try {
    const signal = AbortSignal.any([request.signal, cut.signal]);
    iterator = provider.chat({ ...request, signal })[Symbol.asyncIterator]();
    for (let size = 0; ;) {
      const next = await pull(iterator, idleSeconds * 1000, request.signal);
      if (next === "idle") return yield end(common.PROVIDER_TIMEOUT(provider.name, idleSeconds), true);
      if (next === "cancelled") return yield end(common.PROVIDER_CANCELLED(provider.name), false);
      if (next.done)
        return yield end(common.PROVIDER_MALFORMED(provider.name, "it ended without a reason"), true);
      size += PER_EVENT + sizeOf(next.value);
      if (size > MOST) return yield end(common.PROVIDER_TOO_LARGE(provider.name, MOST), false);
      yield next.value;
      if (next.value.type === "stop" || next.value.type === "error") return;
    }
  } catch (error) {
    yield { type: "error", failure: thrownFailure(provider.name, error, request.signal, idleSeconds) };
  } finally {
    cut.abort(over);
    leave(iterator);
  }
}

function end(error: ReturnType<typeof common.PROVIDER_EMPTY>, retry: boolean): ProviderEvent {
  return { type: "error", failure: failure(error, retry) };
}

function sizeOf(event: ProviderEvent): number {
  if (event.type === "text") return event.text.length;
  return event.type === "tool_call" ? event.call.name.length + event.call.args.length : 0;
}

type Pulled = IteratorResult<ProviderEvent> | "idle" | "cancelled";

function pull(iterator: AsyncIterator<ProviderEvent>, idleMs: number, signal: AbortSignal): Promise<Pulled> {
  return new Promise((resolve, reject) => {
    const cancel = (): void => settle(() => resolve("cancelled"));
    const timer = setTimeout(() => settle(() => resolve("idle")), idleMs);
    const settle = (answer: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
      answer();
    };
    if (signal.aborted) return cancel();
    signal.addEventListener("abort", cancel, { once: true });
    iterator.next().then(
      (result) => settle(() => resolve(result)),
      (error: unknown) => settle(() => reject(error)),
    );
  });
}

/** Lets a provider clean up, without waiting for one that hangs. */
function leave(iterator: AsyncIterator<ProviderEvent> | undefined): void {
  void (async () => iterator?.return?.())().catch(() => undefined);
}
