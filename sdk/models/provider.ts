import type { Json, MediaRef, Part } from "../messages/content.ts";
import type { ModelRef } from "./model-ref.ts";
import { many, one } from "../contract/slot.ts";
import type { ToolInput } from "../tools/tool.ts";
import { having } from "../contract/shape.ts";

/** A call that a model asked for; `args` is the JSON text as the model wrote it. */
export interface ToolUse {
  readonly id: string;
  readonly name: string;
  readonly args: string;
  /** As in {@link ChatMessage}. */
  readonly providerData?: Json;
}

/**
 * A conversation, in no vendor's form. `providerData` is what a provider needs back with its answer
 * (a signature, the items of a reasoning): it is kept and sent back unchanged. Another provider may
 * go on, so a provider marks what is its own and ignores the rest.
 */
export type ChatMessage =
  | { readonly role: "system"; readonly parts: readonly Part[] }
  | {
      readonly role: "user";
      readonly parts: readonly Part[];
      /** When it was said, Unix ms. */
      readonly at?: number;
    }
  | {
      readonly role: "assistant";
      readonly parts: readonly Part[];
      readonly toolCalls: readonly ToolUse[];
      readonly providerData?: Json;
    }
  | {
      readonly role: "tool";
      readonly callId: string;
      readonly name: string;
      readonly parts: readonly Part[];
      readonly failed: boolean;
    };

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly input: ToolInput;
}

/** The amount that a model thinks before it answers. */
export type Effort = "minimal" | "low" | "medium" | "high";

export interface ChatRequest {
  /** Undefined: the provider's own default. */
  readonly model: string | undefined;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolSpec[];
  readonly temperature: number;
  /** Undefined: the provider's own limit. */
  readonly maxTokens?: number;
  /** Undefined: as the provider is configured. */
  readonly effort?: Effort;
  /** The answer has to call one of `tools`; a provider that cannot demand this ignores it. */
  readonly mustCall?: true;
  /** Returns the bytes of media in the messages, undefined if gone. Left out: none can be had. */
  readonly media?: (ref: MediaRef) => Promise<Uint8Array | undefined>;
  /** The conversation, so that a connection can be kept for it. */
  readonly session: string;
  readonly signal: AbortSignal;
}

/** Why an answer ended. More reasons may come: treat one that you do not know as `EndTurn`. */
export type StopReason = "EndTurn" | "MaxTokens" | "ContentFilter" | "ToolUse" | "Error";

/** Why a request failed, in one sentence without secrets. */
export interface ProviderFailure {
  readonly code: string;
  readonly message: string;
  /** The HTTP status, if there was one. */
  readonly status?: number;
  /** The wait that the server asked for in `Retry-After`, in milliseconds. */
  readonly retryAfterMs?: number;
  /** With `PROVIDER_OVERFLOW`: the window of the model in tokens, if the server named it. */
  readonly contextWindow?: number;
  /** Another try, here or elsewhere, can help. */
  readonly retry: boolean;
  /** True if only another configuration helps. */
  readonly configuration?: true;
  /** The error that it came from, for the log with `--debug`: see {@link causedBy}. */
  readonly cause?: unknown;
}

/** Returns the failure with its cause, which `--debug` logs and nothing copies, sends or shows. */
export function causedBy(failure: ProviderFailure, cause: unknown): ProviderFailure {
  return Object.defineProperty(failure, "cause", { value: cause, configurable: true });
}

/**
 * Exactly one `stop` or `error` ends a stream; nothing follows it. An empty text is a sign of life
 * and shows nothing. `provider_data` is kept with the answer and comes back in {@link ChatMessage};
 * the last one counts. More types may come: ignore what you do not know.
 */
export type ProviderEvent =
  | { readonly type: "text"; readonly text: string }
  /** A piece of what the model thinks before it answers or calls, if it tells that. */
  | { readonly type: "thought"; readonly text: string }
  | { readonly type: "tool_call"; readonly call: ToolUse }
  | { readonly type: "provider_data"; readonly data: Json }
  | {
      readonly type: "usage";
      readonly inputTokens: number;
      readonly outputTokens: number;
      /** The input tokens that the provider took from its cache. */
      readonly cachedTokens?: number;
      /** The output tokens that nobody sees. */
      readonly reasoningTokens?: number;
      /** The input tokens that the provider wrote into its cache. */
      readonly cacheWriteTokens?: number;
      /** The model that has answered, as the server names it. */
      readonly model?: string;
    }
  | { readonly type: "stop"; readonly reason: StopReason }
  | { readonly type: "error"; readonly failure: ProviderFailure };

export interface Capabilities {
  readonly nativeToolCalling: boolean;
  readonly vision: boolean;
  readonly streaming: boolean;
  /** The media types that it takes, as in `image/*`; the model is told of others. Default: none. */
  readonly media?: readonly string[];
}

export interface Provider {
  /** The id that people configure and that the answer names. */
  readonly name: string;
  /** Other ids for it, under which its `[providers.<id>]` table may stand. */
  readonly aliases?: readonly string[];
  readonly capabilities: Capabilities;
  /** The server that is asked, as `host:port` or `host`, for whoever observes. */
  readonly server?: string;
  /** Streams one answer. Never throws: a failure is its last event. Stops soon after `signal`. */
  chat(request: ChatRequest): AsyncIterable<ProviderEvent>;
  /** Returns the model ids on offer. Throws a coded error if there is no list. */
  models?(signal: AbortSignal): Promise<readonly string[]>;
  /** Returns the model's window in tokens; undefined if not told. Throws as `models` does. */
  contextWindow?(model: string | undefined, signal: AbortSignal): Promise<number | undefined>;
  /** Makes the first turn fast or says what is wrong; resolves to one line for the person. */
  warmup?(signal: AbortSignal): Promise<string>;
  /** Returns the source of the credential, never the credential; `none` if there is none. */
  credential?(): Promise<string>;
  /** True: no turn works without a credential. */
  readonly needsCredential?: boolean;
  /** Why a key of the file is not sent to it, and the cure; told if `credential()` gives `none`. */
  readonly keyWithheld?: string | undefined;
}

/** The provider and the model that served an answer. */
export interface Served {
  readonly provider: string;
  readonly model: string | undefined;
  /** {@link Provider.server} */
  readonly server?: string;
}
export type RoutedEvent = ProviderEvent | ({ readonly type: "served" } & Served);

/** Makes the event that says who is asked now. */
export function servedBy({ name, server }: Provider, model: string | undefined): RoutedEvent {
  return { type: "served", provider: name, model, ...(server !== undefined && { server }) };
}

/** Retries, falls back and adapts for turns; without a router they ask the first provider. */
export interface ModelRouter {
  /** Finds providers by `resolve` (undefined: none). Yields `served` first, again on a fallback. */
  chat(
    want: ModelRef,
    request: Omit<ChatRequest, "model">,
    resolve: (provider: string | undefined, model: string | undefined) => Promise<Provider | undefined>,
  ): AsyncIterable<RoutedEvent>;
  /** Providers that are being left alone for now, for `status`. */
  cooling(): readonly { readonly provider: string; readonly until: string; readonly reason: string }[];
}
export const ModelRouter = one<ModelRouter>("model-router", having("chat", "cooling"));

/** Finds providers for who is not in a turn (commands, checks); filled by the host. */
export interface Providers {
  /**
   * The provider as a turn would get it; undefined means the configured one. Throws `NO_PROVIDER`,
   * `PROVIDER_UNKNOWN` and what a provider says of its configuration.
   */
  resolve(provider?: string, model?: string): Promise<Provider>;
}
export const Providers = one<Providers>("providers");

/** A provider that people can choose, for `onboard`: all that has to be asked to set it up. */
export interface ProviderOffer {
  /** The id that is configured. */
  readonly name: string;
  /** Other ids for it. */
  readonly aliases?: readonly string[];
  /** As it stands in the list. Default: `name`. */
  readonly title?: string;
  readonly hint?: string;
  /** Its list for people: known services (default), servers of their own, or beside these two. */
  readonly list?: "services" | "servers" | "beside";
  /** The address at which it answers, unless `addressKey` gives another. */
  readonly address?: string;
  /** The key of config.toml that holds another address. Without `address` it is asked for. */
  readonly addressKey?: string;
  /** The address is asked for and stands behind the name: `custom:https://…`. */
  readonly addressInId?: boolean;
  /** The question that asks for the address. */
  readonly addressQuestion?: string;
  /** The key of config.toml that holds its API key. Default: `providers.<name>.api_key`. */
  readonly keyAt?: string;
  /** The variable that its users keep their API key in. */
  readonly keyVariable?: string | undefined;
  /** True if it answers without an API key. Default: true if there is no variable for one. */
  readonly keyOptional?: boolean;
  /** Advice for a person without an API key, such as how to log in. */
  readonly withoutKey?: string;
  /** It runs in this process: no address, no API key and no model is asked for. */
  readonly offline?: boolean;
  /** The address of its makers' documentation. */
  readonly docs?: string;
}
export const ProviderOffers = many<ProviderOffer>("provider-offers", (offer: ProviderOffer) => {
  const { name, address, addressKey, addressInId = false, offline = false } = offer;
  if (!/^[a-z0-9][a-z0-9._-]*$/.test(name)) return "has a name with other signs than a-z, 0-9, ., _ and -";
  if (offline || addressInId || address !== undefined || addressKey !== undefined) return undefined;
  return "says neither where it answers (`address`), nor how that is asked (`addressKey`, `addressInId`), nor that it is `offline`";
});

/** Returns the offer that an id is chosen by. */
export function offerOf(offers: ReadonlyMap<string, ProviderOffer>, id: string): ProviderOffer | undefined {
  const named = offers.get(id) ?? [...offers.values()].find(({ aliases }) => aliases?.includes(id));
  return (
    named ?? [...offers.values()].find(({ name, addressInId }) => addressInId && id.startsWith(`${name}:`))
  );
}
