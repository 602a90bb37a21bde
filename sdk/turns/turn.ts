import type { ApprovalRequest } from "./approval.ts";
import type { MediaRef } from "../messages/content.ts";
import type { ProviderFailure, StopReason, ToolUse } from "../models/provider.ts";
import type { ToolAnswer, ToolQuestion } from "../tools/tool-question.ts";
import type { ToolProgress } from "../tools/tool-run.ts";

export type Decision = "allowed" | "approved" | "refused" | "failed";

export interface ToolCallReport {
  readonly tool: string;
  readonly decision: Decision;
  /** The code of the error, if it was refused or failed. */
  readonly code?: string;
}

/** Tokens of all requests of a turn. */
export interface TurnUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** The part of the input that was read from the provider's cache. */
  readonly cached_tokens: number;
  /** The part of the output that was thought, and not shown. */
  readonly reasoning_tokens: number;
}

export interface TurnResult {
  readonly reply: string;
  readonly session_id: string;
  readonly provider: string;
  /** Null if the provider chose. */
  readonly model: string | null;
  readonly stop_reason: StopReason;
  readonly usage: TurnUsage;
  readonly tool_calls: readonly ToolCallReport[];
  /** Files that tools hand to the person with the reply, in order. */
  readonly files?: readonly MediaRef[];
  /** Calls of the caller's own tools, which the caller runs; `stop_reason` is `ToolUse` then. */
  readonly client_calls?: readonly ToolUse[];
  /** True if a person has ended it by a word of theirs, such as `/stop`. */
  readonly stopped?: true;
  /** Set if `stop_reason` is `Error`. */
  readonly error?: ProviderFailure;
}

/** An event inside a turn, as it happens. More types may come: ignore what you do not know. */
export type TurnEvent =
  | { readonly type: "thinking" }
  | { readonly type: "delta"; readonly text: string }
  /** A piece of the model's thinking: only with {@link PromptOptions.thoughts}. */
  | { readonly type: "thought"; readonly text: string }
  | {
      readonly type: "tool_call";
      readonly id: string;
      readonly tool: string;
      readonly args: Readonly<Record<string, unknown>>;
    }
  /**
   * `id` is the one of the call that the model made, also for steps of a tool that this call has
   * called.
   */
  | ({ readonly type: "tool_progress"; readonly id: string; readonly tool: string } & ToolProgress)
  | {
      readonly type: "tool_result";
      readonly id: string;
      readonly tool: string;
      readonly decision: Decision;
      readonly code?: string;
      readonly text: string;
      /** Files that it hands to the person; they come with the answer as well. */
      readonly files?: readonly MediaRef[];
    }
  | { readonly type: "tool_question"; readonly question: ToolQuestion }
  | { readonly type: "tool_question_done"; readonly id: string; readonly action: ToolAnswer["action"] }
  | { readonly type: "approval_request"; readonly request: ApprovalRequest }
  | { readonly type: "approval_done"; readonly id: string; readonly decision: "allow" | "deny" }
  | TurnEnded;

/**
 * The last event of a turn or call, told to whoever watches its session: its caller has the result.
 */
export interface TurnEnded {
  readonly type: "turn_ended";
  /** As in {@link TurnFacts}; absent if it ended before it began. */
  readonly turn?: string;
  readonly stop: StopReason;
  /** Why, if `stop` is `Error`. */
  readonly code?: string;
  /** True if a person has ended it by a word of theirs. */
  readonly stopped?: true;
}
