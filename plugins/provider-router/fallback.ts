import { errors as common } from "@gantry/sdk";
import { servedBy, shownAddress } from "@gantry/sdk/fill";
import { failure, providerSettings, thrownFailure, type ProviderTable } from "@gantry/sdk/provider";
import type { ChatRequest, Logger, ModelRef, Provider, ProviderFailure } from "@gantry/sdk";
import type { RoutedEvent, ModelRouter } from "@gantry/sdk/fill";
import type { Circuits } from "./circuit.ts";
import { errors } from "./errors.ts";
import { worthElsewhere } from "./failure.ts";
import { begin, withRetries } from "./retry.ts";
import type { Attempt } from "./retry.ts";
import { bounded } from "./stream.ts";
import type { TagWords } from "./tag-words.ts";
import { ToolsMode } from "./tools-mode.ts";

export interface FallbackConfig {
  readonly reliability: { readonly fallback_providers: readonly string[] };
  readonly providers: ProviderTable;
}

/**
 * Asks the wanted provider, then the fallbacks in order, until one begins to answer; from then on
 * the answer is that one's.
 */
export function createRouter(
  config: FallbackConfig,
  circuits: Circuits,
  log: Logger,
  words: TagWords,
): ModelRouter {
  const modes = new ToolsMode(words, log);
  return {
    async *chat(want, request, resolve) {
      const failures: [string, ProviderFailure][] = [];
      const others = config.reliability.fallback_providers.filter(
        (id, at, all) => id !== want.provider && all.indexOf(id) === at,
      );
      for (const id of [want.provider, ...others]) {
        const found = await find(id, want, resolve, request.signal);
        const name = "provider" in found ? found.provider.name : (id ?? "the default provider");
        if (failures.some(([tried]) => tried === name)) continue;
        if (failures.length > 0)
          log.warn({ from: failures.at(-1)?.[0], to: name }, `Falling back to ${name}.`);
        let failed: ProviderFailure;
        if ("provider" in found) {
          const answer = yield* ask(
            found.provider,
            id,
            { ...request, model: want.model },
            failures.length > 0,
          );
          if (answer === undefined) return;
          failed = answer;
        } else failed = found.failure;
        if (request.signal.aborted) return yield { type: "error", failure: failed };
        failures.push([name, failed]);
        if (failures.length === 1 && !worthElsewhere(failed)) break;
      }
      yield { type: "error", failure: summed(failures) };
    },
    cooling: () => circuits.cooling(),
  };

  /**
   * Streams the answer of one provider; gives back why nothing of it was shown, where that was so.
   */
  async function* ask(
    provider: Provider,
    id: string | undefined,
    request: ChatRequest,
    isFallback: boolean,
  ): AsyncGenerator<RoutedEvent, ProviderFailure | undefined> {
    const settings = providerSettings(config.providers, ...tablesOf(id, provider));
    const context = { provider: provider.name, settings, signal: request.signal, log };
    const once = (model: string | undefined): Promise<Attempt> => {
      const adapted = modes.adapt(provider, model, settings);
      return withRetries(context, () =>
        circuits.guard(provider.name, patienceMs(settings.timeout_seconds), () =>
          begin(bounded(adapted, { ...request, model }, settings.timeout_seconds)),
        ),
      ).catch((error: unknown) => ({
        ok: false,
        failure: thrownFailure(provider.name, error, request.signal, settings.timeout_seconds),
      }));
    };
    const attempt = async (model: string | undefined): Promise<Attempt> => {
      const first = await once(model);
      const learnt = !first.ok && modes.notice(provider, { ...request, model }, first.failure, settings);
      return learnt ? once(model) : first;
    };
    const model = isFallback ? (settings.model ?? request.model) : (request.model ?? settings.model);
    yield servedBy(provider, model);
    let result = await attempt(model);
    const named = settings.model === undefined && request.model !== undefined;
    if (!result.ok && isFallback && named && result.failure.status === 404) {
      yield servedBy(provider, undefined);
      result = await attempt(undefined);
    }
    if (!result.ok) return result.failure;
    yield* result.events;
    return undefined;
  }
}

/**
 * Returns after how many milliseconds without a piece of an answer people are told: 30 s, or a
 * fourth of a longer time limit.
 */
function patienceMs(timeoutSeconds: number): number {
  return Math.max(30_000, timeoutSeconds * 250);
}

/**
 * A table may stand under the id as it is written, the provider's name, an alias, or the word
 * before the address.
 */
function tablesOf(id: string = "", { name, aliases = [] }: Provider): string[] {
  return [id, name, ...aliases, name.replace(/:.*$/s, "")];
}

async function find(
  id: string | undefined,
  want: ModelRef,
  resolve: Parameters<ModelRouter["chat"]>[2],
  signal: AbortSignal,
): Promise<{ readonly provider: Provider } | { readonly failure: ProviderFailure }> {
  try {
    const provider = await resolve(id, want.model);
    if (provider) return { provider };
    return {
      failure: failure(
        id === undefined ? common.NO_PROVIDER() : common.PROVIDER_UNKNOWN(shownAddress(id)),
        false,
      ),
    };
  } catch (error) {
    return { failure: thrownFailure(id ?? "the default provider", error, signal, 0) };
  }
}

/** The first failure is the one to fix; the fallbacks' words stand behind it. */
function summed(failures: readonly [string, ProviderFailure][]): ProviderFailure {
  const [first, ...rest] = failures;
  const [, failed] = first ?? ["", failure(common.NO_PROVIDER(), false)];
  if (rest.length === 0) return failed;
  const { message } = errors.ROUTER_ALL_FAILED(
    failed.message,
    rest.map(([name, { message: why }]) => `${name}: ${why}`).join(" "),
  );
  return { ...failed, message };
}
