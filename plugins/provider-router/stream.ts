import { errors as common } from "@gantry/sdk";
import { failure, thrownFailure } from "@gantry/sdk/provider";
import type { ChatRequest, Provider, ProviderEvent } from "@gantry/sdk";

/**
 * Characters of one answer; an event counts as some even when it is empty, so that neither can go
 * on without end.
 */
const MOST = 16 * 1024 * 1024;
const PER_EVENT = 16;
/**
 * Nobody reads why: without a reason of ours each answer would make an exception with its stack.
 */
const over = new Error("The answer is over.");

/**
 * One answer of any provider, made to keep the contract: never throws, ends with exactly one `stop`
 * or `error`, is silent for at most `idleSeconds`, has a size, and ends at once when the request is
 * cancelled. An empty text is a sign of life.
 */
export async function* bounded(
  provider: Provider,
  request: ChatRequest,
  idleSeconds: number,
): AsyncGenerator<ProviderEvent, void> {
  const cut = new AbortController();
  const pulls = new Pulls(idleSeconds * 1000, request.signal);
  let iterator: AsyncIterator<ProviderEvent> | undefined;
  try {
    const signal = AbortSignal.any([request.signal, cut.signal]);
    iterator = provider.chat({ ...request, signal })[Symbol.asyncIterator]();
    for (let size = 0; ;) {
      const next = await pulls.next(iterator);
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
    pulls.end();
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

/**
 * Waits for one event after the other, with one timer and one listener for all: an answer has
 * hundreds.
 */
class Pulls {
  readonly #signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  #settle: (pulled: Pulled) => void = () => {};
  readonly #cancel = (): void => this.#settle("cancelled");

  constructor(idleMs: number, signal: AbortSignal) {
    this.#signal = signal;
    this.#timer = setTimeout(() => this.#settle("idle"), idleMs);
    signal.addEventListener("abort", this.#cancel, { once: true });
  }

  next(iterator: AsyncIterator<ProviderEvent>): Promise<Pulled> {
    return new Promise((resolve, reject) => {
      if (this.#signal.aborted) return resolve("cancelled");
      this.#settle = resolve;
      this.#timer.refresh();
      iterator.next().then(resolve, reject);
    });
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener("abort", this.#cancel);
  }
}

/** Lets a provider clean up, without waiting for one that hangs. */
function leave(iterator: AsyncIterator<ProviderEvent> | undefined): void {
  void (async () => iterator?.return?.())().catch(() => undefined);
}
