import type { ChatRequest, Logger, Provider, ProviderFailure } from "@gantry/sdk";
import type { ProviderSettings } from "@gantry/sdk/provider";
import type { TagWords } from "./tag-words.ts";
import { withTextTools } from "./text-tools.ts";

const TOOLS = /\btools?\b|\bfunctions?\b|tool_choice/i;
const NOT_TAKEN =
  /not (?:supported|support|enabled|allowed|permitted)|n't support|no endpoints|unsupported|unknown (?:field|parameter)|unrecogni[sz]ed|extra inputs/i;

/**
 * The way in which a provider is offered tools: as it is configured, or as its server turned out to
 * take them.
 */
export class ToolsMode {
  readonly #words: TagWords;
  readonly #log: Logger;
  /** Models whose server has said that it knows no tools. */
  readonly #textOnly = new Set<string>();

  constructor(words: TagWords, log: Logger) {
    this.#words = words;
    this.#log = log;
  }

  /** The provider as this model is asked. */
  adapt(provider: Provider, model: string | undefined, { tools }: ProviderSettings): Provider {
    const mode = tools ?? (provider.capabilities.nativeToolCalling ? "native" : "text");
    if (mode === "none") return withoutTools(withTextTools(provider, this.#words));
    const asText = mode === "text" || (tools === undefined && this.#textOnly.has(keyOf(provider, model)));
    return asText ? withTextTools(provider, this.#words) : provider;
  }

  /**
   * Returns true if the failure says that the server knows no tools: this model is offered them as
   * text from now on.
   */
  notice(
    provider: Provider,
    request: ChatRequest,
    failed: ProviderFailure,
    settings: ProviderSettings,
  ): boolean {
    const key = keyOf(provider, request.model);
    const asked = request.tools.length > 0 && settings.tools === undefined && !this.#textOnly.has(key);
    if (!asked || !provider.capabilities.nativeToolCalling || !refusesTools(failed)) return false;
    this.#textOnly.add(key);
    const model = request.model ?? "its model";
    this.#log.warn(
      { provider: provider.name, model },
      `${provider.name} knows no tools for ${model}, so they are offered as text; set tools in [providers] to say so from the start.`,
    );
    return true;
  }
}

function refusesTools({ status, code, message }: ProviderFailure): boolean {
  const isRefusal = status === 400 || status === 404 || status === 422 || status === 501;
  return isRefusal && code.startsWith("PROVIDER_") && TOOLS.test(message) && NOT_TAKEN.test(message);
}

function withoutTools(provider: Provider): Provider {
  return { ...provider, chat: (request) => provider.chat({ ...request, tools: [] }) };
}

function keyOf({ name }: Provider, model: string | undefined): string {
  return `${name} ${model ?? ""}`;
}
