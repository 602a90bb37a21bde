import type { TurnEvent, TurnResult } from "./turn.ts";
import { many, one } from "./slot.ts";

/** A message from outside. */
export interface InboundMessage {
  readonly channel: string;
  /** The platform's id of the message; accepted once per (channel, id). */
  readonly id: string;
  /** The sender's id on the platform; the conversation is `<channel>:<sender>`. */
  readonly sender: string;
  readonly text: string;
  /** Unix seconds. */
  readonly timestamp: number;
  /** True only for the owner's own terminal or paired device; all else is marked as untrusted for the model. */
  readonly trusted?: boolean;
  /** Continues this session instead of the sender's own. */
  readonly session?: string;
}

/** What came of trying to send; `refused` means the platform will never take it, so it is not tried again. */
export type Sent =
  | { readonly status: "sent" }
  | { readonly status: "retry" | "refused"; readonly reason: string };

export interface Channel {
  readonly name: string;
  /** Sends one reply. Never throws: what went wrong is its answer. */
  send(to: string, text: string, signal: AbortSignal): Promise<Sent>;
  /** True for a sender who may answer approval questions in this channel. */
  isOwner?(sender: string): boolean;
}
export const Channels = many<Channel>("channels");

export interface PromptOptions {
  readonly signal: AbortSignal;
  /** Told of every step while the turn runs. */
  onEvent?(event: TurnEvent): void;
  /**
   * Who decides what needs a person: `ask` waits for an answer through {@link Approvals}, `yes` approves what would be
   * asked (never what is refused), `none` refuses it.
   */
  readonly approvals: "ask" | "yes" | "none";
  /** Override the configured provider and model. */
  readonly provider?: string;
  readonly model?: string;
}

/** What became of an inbound message: `full` asks the sender's platform to come again later. */
export type Receipt = "accepted" | "duplicate" | "refused" | "full";

/** The one way a message comes in; filled by the host. */
export interface Inbox {
  /** For channels: resolves once every accepted message is on disk; the reply goes out through the channel. */
  receive(messages: readonly InboundMessage[]): Promise<readonly Receipt[]>;
  /** For callers who wait for the answer: one turn at a time per conversation, in order of arrival. */
  prompt(message: InboundMessage, options: PromptOptions): Promise<TurnResult>;
}
export const Inbox = one<Inbox>("inbox");

/** A question to a person about one exact call. Every text in it is safe to print. */
export interface ApprovalRequest {
  readonly id: string;
  readonly session: string;
  readonly user: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** All that will run, whole. */
  readonly preview: string;
  /** Of the preview and the diff together. */
  readonly lines: number;
  /** How many commands a shell would run; 0 where none. */
  readonly commands: number;
  /** The change to a file, as a unified diff. */
  readonly diff?: string;
  readonly reasons: readonly string[];
  /** What looks like something else than it is. */
  readonly warnings: readonly string[];
  /** What a yes for the rest of the conversation would cover; undefined where only this one call can be allowed. */
  readonly always?: string;
  /** ISO 8601; after that it is a no. */
  readonly expires: string;
}

/** Who decides a question, and where. */
export interface Decider {
  /** `<channel>:<user_id>` */
  readonly user: string;
  /** The conversation in which a channel took the decision. */
  readonly conversation?: string;
}

/** What became of a decision. `decided`: too late; `unknown`: no such question; `forbidden`: not theirs to decide, or not there. */
export type DecisionOutcome = "done" | "decided" | "unknown" | "forbidden";

/** Open questions; filled by the host. Each is used once and dies with the process. */
export interface Approvals {
  /** All, or those that this person may decide. */
  pending(by?: Decider): readonly ApprovalRequest[];
  /** The one place that decides who may approve. Only the exact words `allow` and `always` release. */
  decide(id: string, decision: string, by: Decider): DecisionOutcome;
}
export const Approvals = one<Approvals>("approvals");
