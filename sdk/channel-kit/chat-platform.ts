import type { Awaitable } from "../contract/awaitable.ts";
import type { CheckRow } from "../contract/command.ts";
import type { Refusal } from "../contract/hooks.ts";
import type { Logger } from "../contract/logger.ts";
import type { EditedMessage } from "../messages/channel.ts";
import type { Json } from "../messages/content.ts";
import type { Route, RouteRequest } from "../messages/route.ts";
import type { Speech } from "../messages/speech.ts";
import type { Values } from "../store/store.ts";
import type { Upstream } from "../tools/net.ts";
import type { ApprovalButton } from "./approval-buttons.ts";
import type { Attachment } from "./attachments.ts";
import type { ConnectionOptions } from "./connection.ts";
import type { Groups } from "./groups.ts";
import type { ChannelHealth } from "./health.ts";
import type { ButtonPress, PressOutcome } from "./open-questions.ts";
import type { OutgoingFile, OutgoingPiece, PieceOptions } from "./outgoing-pieces.ts";
import type { AllowedPeople } from "./people.ts";
import type { PlatformMessage } from "./platform-message.ts";

/**
 * The rules of who may write, and in which chats, as a chat channel's configuration states them.
 */
export interface ChatRules {
  readonly people: AllowedPeople;
  /** The key `pairing_enabled`; left out: no code lets anybody in. */
  readonly pairing?: boolean;
  readonly groups: Groups;
  /** The groups in which the agent may be asked; empty or left out: all. */
  readonly groupIds?: readonly string[];
}

/** The parts of the host that a platform may use. */
export interface ChatHost {
  readonly upstream: Upstream;
  readonly health: ChannelHealth;
  readonly log: Logger;
  values(): Values;
}

/** One message on its way to people. */
export interface Delivery<Address> {
  readonly address: Address;
  /** The same for every try of the answer. */
  readonly key: string;
  /** Place of the message within its answer; the first, 0, may name what it answers. */
  readonly index: number;
  readonly signal: AbortSignal;
}

/** A message that stands on the platform. */
export interface Standing<Address> {
  readonly address: Address;
  readonly id: string;
}

/** Files that a platform shows as one message. */
export interface Albums<Address> {
  /** Returns true if one message may hold the file, too. */
  holds(album: readonly OutgoingFile[], file: OutgoingFile): boolean;
  send(album: readonly OutgoingFile[], delivery: Delivery<Address>): Promise<string | number>;
}

/** The frame, as the connection of a platform uses it. */
export interface ChatFrame<Address, Message extends PlatformMessage> {
  /**
   * Returns the message that `read` finds, if it is for the agent. What cannot be read is left out
   * with a line in the log, which tells `about`, so that it keeps nothing else back.
   */
  read(about: object, read: () => Awaitable<Message | undefined>): Promise<Message | undefined>;
  /**
   * Hands messages to the inbox, in order; they are on disk when it resolves. Resolves to those
   * whose writers may write. Throws what the inbox throws.
   */
  take(messages: readonly Message[], signal: AbortSignal): Promise<readonly Message[]>;
  /**
   * Hands in the messages that an HTTP request brought; resolves to false if the inbox is full.
   * Throws what the inbox throws.
   */
  deliver(messages: readonly Message[], request: Pick<RouteRequest, "id" | "traceparent">): Promise<boolean>;
  /** Hands a press to the host, which knows who may decide; `question` is what has the buttons. */
  press(press: ButtonPress, question: Standing<Address>): Promise<PressOutcome>;
}

/**
 * The functions that a platform gives to the frame. Those that call the platform throw a
 * {@link PlatformFailure}, whose kind decides what is tried again.
 */
export interface ChatPlatform<Address, Message extends PlatformMessage = PlatformMessage> {
  /** Bounds of one message; room for a copy's words is the platform's to leave. */
  readonly text: Omit<PieceOptions, "open">;
  /** The form of a message's id, which {@link Channel.edit} is given. */
  readonly messageForm?: RegExp;
  /** The platform makes one message of two with the same key, so none is sent as a copy. */
  readonly sendsOnce?: true;

  /** Returns the address that a channel's JSON states; undefined for what is none. */
  readAddress(to: Json): Address | undefined;
  /** Returns what receives: it reads what comes in and hands it to the frame. */
  receive?(frame: ChatFrame<Address, Message>): ConnectionOptions;
  /** Returns the routes to which a platform with `webhook` delivers. */
  routes?(frame: ChatFrame<Address, Message>): readonly Route[];
  /** Returns a file of a message, to be loaded if its writer may write. */
  attachment?(file: Message["files"][number]): Attachment;
  /** Returns a message of somebody who may write, with what stands around it. */
  surrounded?(message: Message, signal: AbortSignal): Promise<Message>;
  /** Returns why nobody may write from this place, whoever they are. */
  refusePlace?(address: Address): Refusal | undefined;

  /** Sends words or a file; resolves to the message's id, empty if it has none. */
  send(piece: OutgoingPiece, delivery: Delivery<Address>): Promise<string | number>;
  /**
   * Looks for words that an earlier try may have sent: resolves to their message's id, and to
   * undefined if they are not there.
   */
  find?(delivery: Delivery<Address>): Promise<string | undefined>;
  readonly albums?: Albums<Address>;
  /** Sends a voice message. */
  speak?(speech: Speech, delivery: Delivery<Address>): Promise<unknown>;
  /** Puts words in place of a message and takes its buttons away. What is too long is cut. */
  edit?(message: Standing<Address>, parts: EditedMessage["parts"], signal: AbortSignal): Promise<unknown>;
  /** Sends a question with buttons, which `edit` settles; resolves to the message's id. */
  ask?(
    text: string,
    buttons: readonly ApprovalButton[],
    delivery: Delivery<Address>,
  ): Promise<string | number>;
  /** Takes the buttons away of a question that an earlier process asked. */
  unbutton?(message: Standing<Address>, outcome: PressOutcome, signal: AbortSignal): Promise<unknown>;
  /** Shows that a turn runs, until `signal` is aborted. Never throws. */
  typing?(address: Address, signal: AbortSignal): Promise<void>;

  /**
   * Tells the account without asking the platform, in a few words or rows; throws what is wrong
   * with it.
   */
  account(): string | readonly CheckRow[];
  /** Asks the platform about the account; throws if it refuses. */
  check(signal: AbortSignal): Promise<readonly CheckRow[]>;
}
