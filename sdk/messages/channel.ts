import type { ApprovalRequest } from "../turns/approval.ts";
import type { Caller } from "../security/scope.ts";
import type { Trust } from "../security/trust.ts";
import type { Conversation } from "./conversation.ts";
import { textParts, type Json, type Part } from "./content.ts";
import type { TurnEvent } from "../turns/turn.ts";
import { many } from "../contract/slot.ts";
import { all, having, mayHave } from "../contract/shape.ts";

/** The person who wrote a message. */
export interface Sender {
  /**
   * The person's id on the platform: limits, approvals, memory and audit know them as
   * `<channel>:<id>`.
   */
  readonly id: string;
  readonly name?: string;
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
  /** Parts that the message answers or forwards: material for the model. */
  readonly quoted?: readonly Part[];
  /** In a group: the agent was addressed. */
  readonly mentioned?: boolean;
  readonly trust: Trust;
  /** The paired device that asked, if one did: the turn can do no more than its token may. */
  readonly caller?: Caller;
  /** Request id that the logs carry. */
  readonly trace?: string;
  /** The `traceparent` that came with it; what is not exactly one is taken for none. */
  readonly traceparent?: string;
  /**
   * True if the guards have seen it before: another configuration may apply by the time it is
   * begun. Whoever counts messages leaves it out. Said by the host alone.
   */
  readonly again?: true;
  /**
   * Added to the system prompt, by the chat command that began the turn; of what a channel or
   * caller hands in it is left out.
   */
  readonly system?: string;
  /** The chat command that began the turn, by its name. Said by the host alone. */
  readonly command?: string;
  /** Begins the answer, by the chat command that began the turn. Said by the host alone. */
  readonly told?: string;
  /** The plugin that handed it to the inbox. Said by the host alone. */
  readonly by?: string;
  /**
   * Goes on with this session, which is the `session_id` of an earlier result. Without one {@link
   * Inbox.prompt} begins a new session, and {@link Inbox.call} has the conversation's own.
   */
  readonly session?: string;
}

/** Returns the person: `<channel>:<id>`. */
export function userOf({ channel, sender }: Pick<InboundMessage, "channel" | "sender">): string {
  return `${channel}:${sender.id}`;
}

/** Returns the lane of the conversation, which is also the name of its session. */
export function laneOf({ channel, conversation }: Pick<InboundMessage, "channel" | "conversation">): string {
  const { id, thread } = conversation;
  return thread === undefined ? `${channel}:${id}` : `${channel}:${id}#${thread}`;
}

/**
 * Returns a text that one person wrote to the agent alone; whatever is given besides replaces the
 * defaults.
 */
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
 * The outcome of a try to send. `retry`: try again, after `afterMs` if the platform named a time;
 * with scope `channel` nothing of this channel can be sent (the account is refused), so everything
 * is kept until it can. `refused`: the platform will never take this message.
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
      /** The platform may have taken it: it went out, and no answer came. */
      readonly unsure?: true;
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
  /**
   * An earlier try `ended`, or was `cut` by the end of its process, so that nobody knows what the
   * platform took.
   */
  readonly earlier?: "ended" | "cut";
}

/** Another text for a message that was sent. */
export interface EditedMessage {
  /** The address that it was sent to. */
  readonly to: Json;
  /** The id that {@link Channel.send} returned. */
  readonly id: string;
  readonly parts: readonly Part[];
}

export interface Channel {
  readonly name: string;
  /**
   * Given: a decision written in a direct conversation needs the id of its question, as it always
   * does in a group; a bare `yes` decides nothing. For platforms on which a sender can be forged,
   * or chooses the conversation that a message belongs to. Buttons decide all the same.
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
  /** Told that the question was decided, here or elsewhere. */
  settled?(request: ApprovalRequest, decision: "allow" | "deny"): Promise<void>;
  /**
   * Puts a short text in place of what a message says; answers as `send` does. With it a long turn
   * shows in one message, which is edited, what it does.
   */
  edit?(message: EditedMessage, signal: AbortSignal): Promise<Sent>;
  /**
   * Told of every step of a turn whose message came in by {@link Inbox.receive}, while it runs,
   * with `to` of that message: for a channel that shows more than the answer, which comes by `send`
   * all the same. What it throws changes nothing.
   */
  onTurnEvent?(event: TurnEvent, to: Json): void;
}
export const Channels = many<Channel>(
  "channels",
  all(having("send"), mayHave("idOf", "working", "ask", "settled", "edit", "onTurnEvent")),
  true,
);
