import { causedBy, ModelRouter, servedBy, shownAddress, type RoutedEvent } from "@gantry/sdk/fill";
import {
  errors,
  GantryError,
  type ModelRef,
  type ChatRequest,
  type Provider,
  type ProviderEvent,
  type ProviderFailure,
} from "@gantry/sdk";
import { asError } from "@gantry/sdk/node";
import type { HookTable } from "../plugins/hook-table.ts";
import type { Registry } from "../plugins/registry.ts";

/** The most characters of one answer, several times what models write: an endless one ends here. */
const maxAnswer = 2 * 1024 * 1024;
/** The length that an event without text counts, so that events without end are cut off too. */
const eventLength = 256;
/** A provider that ignores its signal is left behind after this long. */
const graceMs = 1_000;

/** Finds the provider that a turn wants and reads an answer from it, through a loaded router. */
export class Providers {
  readonly #registry: Registry;
  readonly #hooks: HookTable;
  readonly #configured: ModelRef;

  constructor(registry: Registry, hooks: HookTable, configured: ModelRef) {
    this.#registry = registry;
    this.#hooks = hooks;
    this.#configured = configured;
  }

  /** Returns the named or configured provider; throws NO_PROVIDER or PROVIDER_UNKNOWN. */
  async resolve(
    provider: string | undefined = this.#configured.provider,
    model: string | undefined = this.#configured.model,
  ): Promise<Provider> {
    const found = await this.#hooks.first({ provider, model });
    if (found) return found;
    throw provider === undefined ? errors.NO_PROVIDER() : errors.PROVIDER_UNKNOWN(shownAddress(provider));
  }

  /** Reads one answer. Never throws; exactly one `stop` or `error` comes last, whatever happens. */
  async *chat(want: ModelRef, request: Omit<ChatRequest, "model">): AsyncGenerator<RoutedEvent> {
    let length = 0;
    try {
      for await (const event of untilAborted(this.#route(want, request), request.signal)) {
        if (event.type === "text") length += Math.max(event.text.length, 1);
        else length += eventLength + (event.type === "tool_call" ? event.call.args.length : 0);
        if (length > maxAnswer)
          return yield ended(errors.PROVIDER_TOO_LARGE(want.provider ?? "The provider", maxAnswer));
        yield event;
        if (event.type === "stop" || event.type === "error") return;
        if (request.signal.aborted) break;
      }
      if (request.signal.aborted) yield ended(errors.PROVIDER_CANCELLED(want.provider ?? "the provider"));
      else
        yield ended(
          errors.PROVIDER_MALFORMED(want.provider ?? "The provider", "it ended without a reason"),
          true,
        );
    } catch (error) {
      yield ended(error instanceof GantryError ? error : errors.INTERNAL(asError(error)));
    }
  }

  async *#route(want: ModelRef, request: Omit<ChatRequest, "model">): AsyncIterable<RoutedEvent> {
    const router = this.#registry.get(ModelRouter);
    const resolve = async (
      provider: string | undefined,
      model: string | undefined,
    ): Promise<Provider | undefined> => (await this.#hooks.first({ provider, model })) ?? undefined;
    if (router) return yield* router.chat(want, request, resolve);
    const provider = await this.resolve(want.provider, want.model);
    yield servedBy(provider, want.model);
    const tools = provider.capabilities.nativeToolCalling ? request.tools : [];
    yield* provider.chat({ ...request, tools, model: want.model });
  }
}

/** The events as they come; ends soon after `signal`, also where the provider does not. */
async function* untilAborted<T>(events: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const { promise: late, resolve } = Promise.withResolvers<{ done: true; value: undefined }>();
  const leave = (): void => void setTimeout(resolve, graceMs, { done: true, value: undefined }).unref();
  if (signal.aborted) leave();
  else signal.addEventListener("abort", leave, { once: true });
  const iterator = events[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), late]);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener("abort", leave);
    // Not waited for: a provider that hangs would never come back from it.
    iterator.return?.()?.catch(() => {});
  }
}

function ended(error: GantryError, retry: boolean = false): ProviderEvent {
  const failure: ProviderFailure = { code: error.code, message: error.message, retry };
  return { type: "error", failure: causedBy(failure, error) };
}
