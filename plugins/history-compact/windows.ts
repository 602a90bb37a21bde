import {
  type CheckRow,
  type ConfigFile,
  type ModelRef,
  type Provider,
  type Providers,
  type Store,
  type Values,
} from "@gantry/sdk";
import { providerSettings, type ProviderTable } from "@gantry/sdk/provider";
import { knownWindow } from "./known-windows.ts";

/** Taken where nothing is known; the first refusal tells better. */
const ASSUMED = 128_000;
const SPACE = "context-window";
const SAID_SPACE = "context-window-said";
const KEPT_MS = 30 * 86_400_000;
/** A server that says nothing is asked again after this long. */
const AGAIN_MS = 3_600_000;
const ASK_MS = 5_000;

export interface Window {
  readonly tokens: number;
  /** The origin of the figure. */
  readonly source: "configuration" | "learnt" | "provider" | "name" | "assumed";
}

export interface WindowNeeds {
  readonly models: Providers;
  readonly configFile: ConfigFile | undefined;
  readonly store: Store | undefined;
}

/** The tokens that a model takes, or that nobody could tell; and when that was found. */
interface Told {
  readonly tokens: number | undefined;
  readonly at: number;
}

/**
 * The tokens that each model takes: from the configuration, what it has refused, what its server
 * says, or its name.
 */
export class Windows {
  readonly #models: Providers;
  readonly #configFile: ConfigFile | undefined;
  readonly #table: ProviderTable;
  readonly #values: Values | undefined;
  /** That nothing was learnt is true for a while: another node may learn it. */
  readonly #learnt = new Map<string, Told>();
  readonly #said = new Map<string, Told>();

  constructor(needs: WindowNeeds, table: ProviderTable) {
    this.#models = needs.models;
    this.#configFile = needs.configFile;
    this.#values = needs.store?.values;
    this.#table = table;
  }

  /**
   * `askServer` is for conversations that have a length to speak of; short ones cost no request.
   */
  async of(ref: ModelRef, askServer: boolean, signal: AbortSignal): Promise<Window> {
    const provider = await this.#models.resolve(ref.provider, ref.model).catch(() => undefined);
    const configured = providerSettings(this.#table, ...idsOf(ref, provider)).context_window;
    if (configured !== undefined) return { tokens: configured, source: "configuration" };
    const learnt = await this.#known(ref);
    if (learnt !== undefined) return { tokens: learnt, source: "learnt" };
    const said = askServer ? await this.#ask(ref, provider, signal) : this.#said.get(keyOf(ref))?.tokens;
    if (said !== undefined) return { tokens: said, source: "provider" };
    const known = ref.model === undefined ? undefined : knownWindow(ref.model);
    return known === undefined ? { tokens: ASSUMED, source: "assumed" } : { tokens: known, source: "name" };
  }

  /** The model has refused what was longer. */
  async learn(ref: ModelRef, tokens: number): Promise<void> {
    this.#learnt.set(keyOf(ref), { tokens, at: Date.now() });
    await this.#values?.put(SPACE, keyOf(ref), tokens, { forMs: KEPT_MS });
  }

  /** For `status`, which asks no server: a provider may know without one. */
  async rows(): Promise<readonly CheckRow[]> {
    const provider = await this.#models.resolve().catch(() => undefined);
    if (!provider) return [];
    const ref = { provider: this.#configured("provider"), model: this.#configured("model") };
    const window = await this.of(ref, false, AbortSignal.abort());
    const isGuess = window.source === "assumed" || window.source === "name";
    const said = isGuess ? await this.#values?.get<number>(SAID_SPACE, keyOf(ref)) : undefined;
    const asks = said === undefined && window.source === "assumed";
    const known = asks ? await windowOf(provider, ref, AbortSignal.abort()) : said;
    const { tokens, source } = known ? { tokens: known, source: "provider" } : window;
    const detail = `${tokens} tokens (${source})`;
    if (source !== "assumed") return [{ what: "context window", state: "ok", detail }];
    const cure = `Set providers."${provider.name}".context_window if the model takes less.`;
    return [{ what: "context window", state: "ok", detail, cure }];
  }

  #configured(what: "provider" | "model"): string | undefined {
    const value = this.#configFile?.get(`agent.${what}`) ?? this.#configFile?.get(`default_${what}`);
    return typeof value === "string" ? value : undefined;
  }

  async #known(ref: ModelRef): Promise<number | undefined> {
    const key = keyOf(ref);
    const before = this.#learnt.get(key);
    if (before && isFresh(before)) return before.tokens;
    const tokens = await this.#values?.get<number>(SPACE, key);
    this.#learnt.set(key, { tokens, at: Date.now() });
    return tokens;
  }

  async #ask(
    ref: ModelRef,
    provider: Provider | undefined,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const before = this.#said.get(keyOf(ref));
    if (before && isFresh(before)) return before.tokens;
    const limited = AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)]);
    const tokens = await windowOf(provider, ref, limited);
    this.#said.set(keyOf(ref), { tokens, at: Date.now() });
    if (tokens !== undefined && tokens !== before?.tokens)
      await this.#values?.put(SAID_SPACE, keyOf(ref), tokens, { forMs: KEPT_MS });
    return tokens;
  }
}

function isFresh({ tokens, at }: Told): boolean {
  return tokens !== undefined || Date.now() - at < AGAIN_MS;
}

/** Undefined too where it cannot be had. */
function windowOf(
  provider: Provider | undefined,
  { model }: ModelRef,
  signal: AbortSignal,
): Promise<number | undefined> {
  return provider?.contextWindow?.(model, signal).catch(() => undefined) ?? Promise.resolve(undefined);
}

function keyOf({ provider = "", model = "" }: ModelRef): string {
  return `${provider} ${model}`;
}

/**
 * A table may stand under the id as it is written, the provider's name, an alias, or the word
 * before the address.
 */
function idsOf({ provider: id = "" }: ModelRef, provider: Provider | undefined): readonly string[] {
  const name = provider?.name ?? id;
  return [id, name, ...(provider?.aliases ?? []), name.replace(/:.*$/s, "")];
}
