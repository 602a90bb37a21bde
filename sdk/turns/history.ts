import type { ChatMessage, ProviderFailure } from "../models/provider.ts";
import type { Awaitable } from "../contract/awaitable.ts";
import type { ModelRef } from "../models/model-ref.ts";
import type { TurnFacts } from "./observer.ts";
import { one } from "../contract/slot.ts";
import { having } from "../contract/shape.ts";

/**
 * A conversation on its way to the model. Texts are as they were brought; the host marks them
 * afterwards.
 */
export interface HistoryRequest extends TurnFacts {
  /**
   * `request`: before every request. `overflow`: the model refused it as too long. `asked`: a
   * person wants it short.
   */
  readonly reason: "request" | "overflow" | "asked";
  /** The messages kept of the turns before this one. */
  readonly earlier: readonly ChatMessage[];
  /** This turn so far: the person's message, then calls and results. */
  readonly current: readonly ChatMessage[];
  /**
   * So many of both have been sent before. Whoever changes one of them costs the provider's cache
   * of all behind it.
   */
  readonly sent: number;
  /** Characters of what goes with them in every request: the system prompt and the tools. */
  readonly overhead: number;
  /** The model that is asked. */
  readonly model: ModelRef;
  /** `memory.max_conversation_turns`. */
  readonly mostTurns: number;
  /** With `overflow`: what the provider said. */
  readonly failure: ProviderFailure | undefined;
  readonly signal: AbortSignal;
  /**
   * Asks the model beside the conversation, without tools; its cost is counted. Throws what fails.
   */
  complete(messages: readonly ChatMessage[]): Promise<string>;
}

/** The same conversation, shorter. Every call keeps its result behind it. */
export interface FittedHistory {
  readonly earlier: readonly ChatMessage[];
  readonly current: readonly ChatMessage[];
}

/** Decides which of a session's messages go to the model. */
export interface History {
  /**
   * Returns the messages to send; undefined: they go as they are. What it throws is logged, and
   * they go as they are.
   */
  fit(request: HistoryRequest): Awaitable<FittedHistory | undefined>;
}
export const History = one<History>("history", having("fit"));

/**
 * Returns true if every call has its result behind it and no result is without its call: otherwise
 * a model refuses the conversation.
 */
export function isWholeConversation(messages: readonly ChatMessage[]): boolean {
  const open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      if (open.shift() !== message.callId) return false;
    } else if (open.length > 0) return false;
    if (message.role === "assistant") open.push(...message.toolCalls.map(({ id }) => id));
  }
  return open.length === 0;
}
