import type { Json, MediaRef, Part } from "./content.ts";
import type { ModelRef } from "./model-ref.ts";
import { many, one } from "./slot.ts";
import type { ToolInput } from "./tool.ts";

/** A call that a model asked for; `args` is the JSON text as the model wrote it. */
export interface ToolUse {
  readonly id: string;
  readonly name: string;
  readonly args: string;
  /** As in {@link ChatMessage}. */
  readonly providerData?: Json;
}

/**
 * A conversation, in no vendor's form. `providerData` is what a provider needs back with its own answer (a signature, the
 * items of a reasoning): it is kept and sent back unchanged. A conversation may go on with another provider, so a
 * provider marks what is its own and ignores the rest.
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

/** How much a model thinks before it answers. */
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
  /** The bytes of a piece of media in the messages; undefined where they are gone. Left out: no media can be had. */
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
  /** HTTP status, where there was one. */
  readonly status?: number;
  /** What the server asked for in `Retry-After`, in milliseconds. */
  readonly retryAfterMs?: number;
  /** With `PROVIDER_OVERFLOW`: the window of the model in tokens, where the server named it. */
  readonly contextWindow?: number;
  /** Another try, here or elsewhere, can help. */
  readonly retry: boolean;
}

/**
 * Exactly one `stop` or `error` ends a stream; nothing follows it. An empty text is a sign of life and shows nothing.
 * `provider_data` is kept with the answer and comes back in {@link ChatMessage}; the last one counts. More types may come:
 * ignore what you do not know.
 */
export type ProviderEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_call"; readonly call: ToolUse }
  | { readonly type: "provider_data"; readonly data: Json }
  | {
      readonly type: "usage";
      readonly inputTokens: number;
      readonly outputTokens: number;
      /** How many of the input tokens the provider took from its cache. */
      readonly cachedTokens?: number;
      /** How many of the output tokens nobody sees. */
      readonly reasoningTokens?: number;
    }
  | { readonly type: "stop"; readonly reason: StopReason }
  | { readonly type: "error"; readonly failure: ProviderFailure };

export interface Capabilities {
  readonly nativeToolCalling: boolean;
  readonly vision: boolean;
  readonly streaming: boolean;
  /** The types of media that it takes, as in `image/*`; of all other the model is told in a line. Default: none. */
  readonly media?: readonly string[];
}

export interface Provider {
  /** The id that people configure and that the answer names. */
  readonly name: string;
  /** Other ids for it, under which its `[providers.<id>]` table may stand. */
  readonly aliases?: readonly string[];
  readonly capabilities: Capabilities;
  /** Streams one answer. Never throws into the stream: a failure is its last event. Stops soon after `signal`. */
  chat(request: ChatRequest): AsyncIterable<ProviderEvent>;
  /** The model ids on offer. Throws a coded error where there is no list. */
  models?(signal: AbortSignal): Promise<readonly string[]>;
  /** How many tokens a model takes, as its server says; undefined where it does not. Throws as `models` does. */
  contextWindow?(model: string | undefined, signal: AbortSignal): Promise<number | undefined>;
  /** Makes the first turn fast or says what is wrong; resolves to one line for the person. */
  warmup?(signal: AbortSignal): Promise<string>;
  /** Where the credential comes from, never the credential. */
  credential?(): Promise<string>;
}

/** Who served an answer. */
export interface Served {
  readonly provider: string;
  readonly model: string | undefined;
}
export type RoutedEvent = ProviderEvent | ({ readonly type: "served" } & Served);

/** Retries, falls back and adapts between the turn and the providers. Without one, the turn asks the first provider directly. */
export interface ModelRouter {
  /** `resolve` finds a provider by id (undefined: nobody answers to it). The first event is `served`, again after a fallback. */
  chat(
    want: ModelRef,
    request: Omit<ChatRequest, "model">,
    resolve: (provider: string | undefined, model: string | undefined) => Promise<Provider | undefined>,
  ): AsyncIterable<RoutedEvent>;
  /** Providers that are being left alone for now, for `status`. */
  cooling(): readonly { readonly provider: string; readonly until: string; readonly reason: string }[];
}
export const ModelRouter = one<ModelRouter>("model-router");

/** Finds providers for who is not in a turn (commands, checks); filled by the host. */
export interface Providers {
  /** The provider as a turn would get it; undefined means the configured one. Throws `NO_PROVIDER`, `PROVIDER_UNKNOWN` and what a provider says of its configuration. */
  resolve(provider?: string, model?: string): Promise<Provider>;
}
export const Providers = one<Providers>("providers");

/** A provider that people can choose by name alone, for `onboard`. */
export interface ProviderOffer {
  /** The id that is configured. */
  readonly name: string;
  /** Where it answers, for people to read. */
  readonly address: string;
  /** The variable that its users keep their key in; undefined: it needs none. */
  readonly keyVariable?: string | undefined;
  /** Where its makers describe it. */
  readonly docs?: string;
}
export const ProviderOffers = many<ProviderOffer>("provider-offers");
