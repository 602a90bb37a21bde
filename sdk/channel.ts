import type { ApprovalRequest } from "./approval.ts";
import type { Caller } from "./scope.ts";
import type { Trust } from "./trust.ts";
import { textParts, type Json, type Part } from "./content.ts";
import type { ChatMessage, Effort, ToolSpec } from "./provider.ts";
import type { TurnEvent, TurnResult } from "./turn.ts";
import { many, one } from "./slot.ts";
import { all, having, mayHave } from "./shape.ts";

/** Who wrote a message. */
export interface Sender {
  /** The person's id on the platform: limits, approvals, memory and audit know them as `<channel>:<id>`. */
  readonly id: string;
  readonly name?: string;
}

/** Where a message was written: what is answered in order and remembered together. */
export interface Conversation {
  readonly id: string;
  readonly kind: "direct" | "group";
  /** A topic or thread in it, which is a conversation of its own. */
  readonly thread?: string;
  readonly title?: string;
}

/** A message from outside. */
export interface InboundMessage {
  readonly channel: string;
  /** The platform's id of the message; accepted once per (channel, id). */
  readonly id: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly sender: Sender;
  readonly conversation: Conversation;
  /** The channel's own address for the reply; comes back in {@link OutgoingMessage}. */
  readonly replyTo: Json;
  readonly parts: readonly Part[];
  /** What the message answers or forwards: material for the model. */
  readonly quoted?: readonly Part[];
  /** In a group: the agent was addressed. */
  readonly mentioned?: boolean;
  readonly trust: Trust;
  /** The paired device that asked, where one did: the turn can do no more than its token may. */
  readonly caller?: Caller;
  /** Request id that the logs carry. */
  readonly trace?: string;
  /** Continues this session instead of the conversation's own; read by {@link Inbox.prompt} alone. */
  readonly session?: string;
}

/** The person: `<channel>:<id>`. */
export function userOf({ channel, sender }: Pick<InboundMessage, "channel" | "sender">): string {
  return `${channel}:${sender.id}`;
}

/** The lane of the conversation, which is also the name of its session. */
export function laneOf({ channel, conversation }: Pick<InboundMessage, "channel" | "conversation">): string {
  const { id, thread } = conversation;
  return thread === undefined ? `${channel}:${id}` : `${channel}:${id}#${thread}`;
}

/** A text that one person wrote to the agent alone; whatever is given besides replaces the defaults. */
export function directMessage(
  message: {
    readonly channel: string;
    readonly id: string;
    readonly from: string;
    readonly text: string;
  } & Partial<Omit<InboundMessage, "channel" | "id">>,
): InboundMessage {
  const { from, text, ...rest } = message;
  return {
    timestamp: Math.floor(Date.now() / 1_000),
    sender: { id: from },
    conversation: { id: from, kind: "direct" },
    replyTo: from,
    parts: textParts(text),
    trust: "guest",
    ...rest,
  };
}

/**
 * What came of trying to send. `retry`: try again, after `afterMs` if the platform named a time; with scope `channel`
 * nothing of this channel can be sent (the account is refused), so everything is kept until it can. `refused`: the
 * platform will never take this message.
 */
export type Sent =
  | { readonly status: "sent"; readonly id?: string }
  | {
      readonly status: "retry";
      readonly reason: string;
      /** Milliseconds; a wait that the platform asked for is not a try. */
      readonly afterMs?: number;
      /** Default `message`. */
      readonly scope?: "message" | "channel";
    }
  | { readonly status: "refused"; readonly reason: string };

export interface OutgoingMessage {
  /** {@link InboundMessage.replyTo} of the message that is answered. */
  readonly to: Json;
  readonly parts: readonly Part[];
  /** The platform's id of the message that is answered. */
  readonly inReplyTo?: string;
  /** The same for every try of one message, so that a platform with idempotency sends it once. */
  readonly key: string;
}

/** Another text for a message that was sent. */
export interface EditedMessage {
  /** Where it was sent to. */
  readonly to: Json;
  /** What {@link Channel.send} gave as its id. */
  readonly id: string;
  readonly parts: readonly Part[];
}

export interface Channel {
  readonly name: string;
  /**
   * Given: a decision written in a direct conversation needs the id of its question, as it always
   * does in a group; a bare `yes` decides nothing. For platforms on which a sender can be forged, or
   * chooses the conversation that a message belongs to. Buttons decide all the same.
   */
  readonly needsQuestionId?: true;
  /**
   * Returns the id of a person in the form that {@link Sender.id} has, of one as people write it in
   * `[people]`; undefined for what can be none. Default: as it is written.
   */
  idOf?(written: string): string | undefined;
  /** Sends one message. Never throws: what went wrong is its answer. */
  send(message: OutgoingMessage, signal: AbortSignal): Promise<Sent>;
  /** Shows that a turn runs, until `signal` is aborted. */
  working?(to: Json, signal: AbortSignal): Promise<void>;
  /** Asks the person to decide, with buttons; without it the question is sent as text. */
  ask?(request: ApprovalRequest, to: Json, signal: AbortSignal): Promise<Sent>;
  /** The question was decided, here or elsewhere. */
  settled?(request: ApprovalRequest, decision: "allow" | "deny"): Promise<void>;
  /**
   * Puts a short text in place of what a message says; answers as `send` does. With it a long turn shows in one message, which
   * is edited, what it does.
   */
  edit?(message: EditedMessage, signal: AbortSignal): Promise<Sent>;
  /**
   * Told of every step of a turn whose message came in by {@link Inbox.receive}, while it runs, with `to` of that message: for a
   * channel that shows more than the answer, which comes by `send` all the same. What it throws changes nothing.
   */
  onTurnEvent?(event: TurnEvent, to: Json): void;
}
export const Channels = many<Channel>(
  "channels",
  all(having("send"), mayHave("idOf", "working", "ask", "settled", "edit", "onTurnEvent")),
  true,
);

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
  /** Stands in place of what is kept of the session. With it a message without parts asks for the next answer. */
  readonly history?: readonly ChatMessage[];
  /** False: nothing of the turn is kept, and it waits for no other turn of its session. Default true. */
  readonly keep?: boolean;
  /** The names of the tools that the turn has, where it has fewer than there are; `[]` for none. */
  readonly tools?: readonly string[];
  /** Tools of the caller: a call of one ends the turn, unrun, and comes back in {@link TurnResult.client_calls}. */
  readonly clientTools?: readonly ToolSpec[];
  /** Added to the system prompt, never in place of it. */
  readonly system?: string;
  /** Tokens of one answer at most; undefined: the provider's own bound. */
  readonly maxTokens?: number;
  /** How much the model thinks before it answers; undefined: as the provider is configured. */
  readonly effort?: Effort;
  /** What the turn may take, with all turns within it. */
  readonly budget?: TurnBudget;
  /** Under whose name it works, such as `researcher`: guards, observers and prompt parts are told. Lower case, digits and `-`. */
  readonly agent?: string;
}

/** What a turn may take. It is looked at before every request to the model, so the last answer may go beyond it. */
export interface TurnBudget {
  /** Tokens in and out of all requests, those of its summaries and of turns within it too. */
  readonly tokens?: number;
}

/** What became of an inbound message: `full` asks the sender's platform to come again later. */
export type Receipt = "accepted" | "duplicate" | "refused" | "full";

/** The one way a message comes in; filled by the host. */
export interface Inbox {
  /** For channels: resolves once every accepted message is on disk; the reply goes out through the channel. */
  receive(messages: readonly InboundMessage[]): Promise<readonly Receipt[]>;
  /**
   * For callers who wait for the answer: one turn at a time per conversation, in order of arrival. Called while a tool runs,
   * it is a turn within that tool's turn: it speaks for the same person, with the same trust; it has no tool that the turn
   * around it has not; it takes over its approvals (`none` refuses more, nothing permits more), its model, effort and agent
   * where it names none, and its budget; what either has taken in, both have. It ends with the tool, has a session of its own,
   * knows no chat commands, and stands in two others at most.
   */
  prompt(message: InboundMessage, options: PromptOptions): Promise<TurnResult>;
}
export const Inbox = one<Inbox>("inbox");
