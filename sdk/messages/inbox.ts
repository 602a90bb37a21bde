import type { Autonomy } from "../security/autonomy.ts";
import type { InboundMessage } from "./channel.ts";
import type { Part } from "./content.ts";
import type { ChatMessage, Effort, ToolSpec } from "../models/provider.ts";
import { one } from "../contract/slot.ts";
import type { ToolCallReport, TurnEvent, TurnResult } from "../turns/turn.ts";

export interface PromptOptions {
  readonly signal: AbortSignal;
  /** Told of every step while the turn runs. */
  onEvent?(event: TurnEvent): void;
  /**
   * The way a call that needs a person is decided: `ask` waits for an answer through {@link
   * Approvals}, `yes` approves what would be asked (never what is refused), `none` refuses it.
   */
  readonly approvals: "ask" | "yes" | "none";
  /** Override the configured provider and model. */
  readonly provider?: string;
  readonly model?: string;
  /**
   * Stands in place of what is kept of the session. With it a message without parts asks for the
   * next answer.
   */
  readonly history?: readonly ChatMessage[];
  /** False: nothing of the turn is kept, and it waits for no other of its session. Default true. */
  readonly keep?: boolean;
  /** The names of the tools that the turn has, if it has fewer than there are; `[]` for none. */
  readonly tools?: readonly string[];
  /**
   * Tools of the caller: a call of one ends the turn, unrun, and comes back in {@link
   * TurnResult.client_calls}.
   */
  readonly clientTools?: readonly ToolSpec[];
  /**
   * Each answer has to call a tool, as far as the provider can demand it: for a turn that has
   * `clientTools` alone, whose first call ends it.
   */
  readonly mustCall?: true;
  /** Added to the system prompt, never in place of it. */
  readonly system?: string;
  /** Tokens of one answer at most; undefined: the provider's own bound. */
  readonly maxTokens?: number;
  /** Sampling temperature, 0 to 2; undefined: `default_temperature`. */
  readonly temperature?: number;
  /** The amount of thinking before an answer; undefined: as the provider is configured. */
  readonly effort?: Effort;
  /** Tells `onEvent` what the model thinks, as far as its provider gives that. Default: nothing. */
  readonly thoughts?: true;
  /** The limits of the turn together with all turns within it. */
  readonly budget?: TurnBudget;
  /**
   * Under whose name it works, such as `researcher`: guards, observers and prompt parts are told.
   * Lower case, digits and `-`.
   */
  readonly agent?: string;
  /**
   * The level of the turn and of all turns within it, if it is narrower than
   * `agent.autonomy_level`; a wider one than that of the configuration or of the turn around it
   * throws AUTONOMY_WIDER. If `autonomous` is configured, `approvals: "yes"` approves nothing in a
   * narrower turn.
   */
  readonly autonomy?: Autonomy;
  /**
   * The folder that the turn and all turns within it work in: tools, commands, instructions. It
   * lies in the configured workspace, or in that of the turn around it, from which a relative path
   * leads; of all else there nothing is read or written. Another folder throws WORKSPACE_OUTSIDE or
   * WORKSPACE_ABSENT. Default: that of the turn around it, else the configured one.
   */
  readonly workspace?: string;
}

/** Limits of a turn, checked before every request to the model: the last answer may exceed them. */
export interface TurnBudget {
  /** Tokens in and out of all requests, those of its summaries and of turns within it too. */
  readonly tokens?: number;
}

/** One tool to run. `onEvent` is told of its call, progress, questions and result. */
export interface CallOptions extends Pick<
  PromptOptions,
  "signal" | "onEvent" | "approvals" | "agent" | "workspace"
> {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The outcome of a call, as the person may see it. */
export interface ToolCallOutcome extends Omit<ToolCallReport, "tool"> {
  /** The result as text, or why there is none. */
  readonly text: string;
  /** The result. */
  readonly parts: readonly Part[];
  /** True if the tool ran and its work went wrong. */
  readonly workFailed: boolean;
}

/** The outcome for an inbound message: `full` asks the sender's platform to come again later. */
export type Receipt = "accepted" | "duplicate" | "refused" | "full";

/** The one way a message comes in; filled by the host. */
export interface Inbox {
  /** For channels: resolves once all accepted messages are on disk; the channel sends the reply. */
  receive(messages: readonly InboundMessage[]): Promise<readonly Receipt[]>;
  /**
   * For callers who wait for the answer: one turn at a time per session, in order of arrival. It
   * begins a new session each time; to go on, hand `session_id` of the result back as `session` of
   * the next message. `conversation` does not choose the session, which belongs to it: no other
   * conversation can go on with it.
   * Called while a tool runs, it is a turn within that tool's turn: it speaks for the same person,
   * with the same trust; it has no tool that the turn around it has not; it takes over its
   * approvals (`none` refuses more, nothing permits more), its model, effort and agent where it
   * names none, and its budget; what either has taken in, both have. It ends with what ends the
   * tool, and with the conversation's turn if somebody stops that, also if the tool did not wait
   * for it; it has a session of its own, knows no chat commands, and stands in two others at most.
   */
  prompt(message: InboundMessage, options: PromptOptions): Promise<TurnResult>;
  /**
   * Runs one tool for the person of the message, without a model and outside of turns: the same
   * guards, question, record and walls as for a call of a turn. `parts` of the message are not
   * read. Its conversation is {@link laneOf} the message unless it names a session. Called while a
   * tool runs, it is that tool's own call. Throws INBOUND_REFUSED and SESSION_FOREIGN; a refused or
   * failed call is its outcome. Absent in hosts of earlier releases.
   */
  call?(message: InboundMessage, options: CallOptions): Promise<ToolCallOutcome>;
}
export const Inbox = one<Inbox>("inbox");
