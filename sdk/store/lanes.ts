import type { Awaitable } from "../contract/awaitable.ts";
import { directMessage, type InboundMessage } from "../messages/channel.ts";
import { verbatimParts, type MediaRef } from "../messages/content.ts";
import type { ChatMessage } from "../models/provider.ts";

/**
 * A lane that is held until its time is over, by the store's clock. Whoever takes the lane afterwards has another token, so a
 * late write of who had it before is known, and refused.
 */
export interface Lease {
  readonly lane: string;
  /** No other lease ever has it, not even one of the same process. */
  readonly token: string;
}

/** A message that was taken to be answered, until its lease ends. */
export interface Claim extends Lease {
  readonly message: InboundMessage;
  /** The message's own, as in {@link KeptMessage}. */
  readonly number: number;
  /** Which claim of this message it is, from 1. */
  readonly deliveryCount: number;
  /**
   * The number of times that the message was begun since something last came of it; beyond 1, a
   * process ended over it. The sending of an answer is begun with its recording.
   */
  readonly begun: number;
  /** Tries that failed through the message itself; waits are none. */
  readonly failures: number;
  /** Milliseconds from its acceptance to this claim. */
  readonly ageMs: number;
  /** Milliseconds from its last failed try to this claim. */
  readonly triedMsAgo?: number;
  /** Set if the answer is already recorded and only the sending is left. */
  readonly reply?: string;
  /** The files that go out with the recorded answer, as {@link Lanes.answer} was given them. */
  readonly files?: readonly MediaRef[];
  /** True for a message of the service's own, which nobody wrote and nobody is told about. */
  readonly isNotice: boolean;
}

/** A message of the service itself, kept until it is sent. Its `message` says where to; the (channel, id) is sent once. */
export interface Notice {
  readonly message: InboundMessage;
  readonly reply: string;
}

/** The beginning of the id of a notice's message; platforms' ids never look so. */
export const noticeId = "gantry:";

/**
 * Makes a notice for a conversation, which is sent once for its key; `reply` is sent as it is, so redact it. One that is
 * `verbatim` is shown sign by sign, as its message's parts say.
 */
export function noticeFor(
  { channel, conversation, replyTo }: Pick<InboundMessage, "channel" | "conversation" | "replyTo">,
  key: string,
  reply: string,
  verbatim: boolean = false,
): Notice {
  const parts = verbatim ? verbatimParts(reply) : [];
  const id = `${noticeId}${key}`;
  return {
    message: directMessage({ channel, id, from: "gantry", text: "", conversation, replyTo, parts }),
    reply,
  };
}

/** When a message that was not answered is due again, and why. */
export interface Retry {
  readonly afterMs: number;
  readonly reason: string;
  /**
   * The part that has to come back first, such as `model` or `channel:chatapp`; {@link Lanes.wake}
   * makes it due earlier.
   */
  readonly waitsFor?: string;
  /** True if it was tried without success now. */
  readonly tried?: boolean;
  /** Counts as a failure of the message's own. */
  readonly counts?: boolean;
  /** Later messages of other senders need not wait behind it. */
  readonly yields?: boolean;
}

/**
 * The outcome of each message that was to be accepted: `over` if its sender has too many that wait.
 */
export type Acceptance = "accepted" | "duplicate" | "over";

export interface AcceptBounds {
  /** Messages of one sender that may wait or be answered at a time. */
  readonly maxPerSender?: number;
}

/** Which of the due messages are meant. */
export interface ClaimBounds {
  /** Only messages that were begun less often than this since something last came of them; any if left out. */
  readonly begunBelow?: number;
}

export interface LaneStats {
  readonly waiting: number;
  readonly running: number;
  readonly deadLetters: number;
}

/** A message that waits, or a dead letter, as it is listed. */
export interface KeptMessage {
  readonly number: number;
  readonly state: "waiting" | "dead";
  readonly channel: string;
  readonly id: string;
  /** The conversation's lane. */
  readonly lane: string;
  /** ISO 8601. */
  readonly accepted: string;
  /** ISO 8601; the time at which a message became a dead letter. */
  readonly ended?: string;
  readonly failures: number;
  /** As in {@link Claim}. */
  readonly begun: number;
  /** Why it was not answered so far. */
  readonly reason?: string;
  readonly waitsFor?: string;
  /** True if an answer is recorded and only the sending is left. */
  readonly isAnswered: boolean;
}

/** Messages that wait for the same thing. */
export interface Waiting {
  readonly waitsFor: string;
  readonly lanes: number;
  /** Why, as it was last seen. */
  readonly reason: string;
}

/**
 * Messages in and answers out, by conversation. A lane (`<channel>:<conversation>`) gives one message at a time, oldest first,
 * to one holder at a time; what is accepted survives the process at any moment. Times are told by the store's clock, which is
 * one for all nodes: no caller's clock counts. Every call may be repeated after a failure that leaves open what was done.
 */
export interface Lanes {
  /** Resolves once all are on disk; a (channel, id) is accepted once. */
  accept(messages: readonly InboundMessage[], bounds?: AcceptBounds): Promise<readonly Acceptance[]>;
  /** Keeps a notice, in a lane beside the conversation's; false if its (channel, id) is known. */
  post(notice: Notice): Promise<boolean>;
  /** The oldest due messages of at most `max` lanes that nobody holds, one of each; fewer, or none, where no more are due. */
  claim(max: number, leaseMs: number, bounds?: ClaimBounds): Promise<readonly Claim[]>;
  /** Holds the lane for `leaseMs` from now. False if it was lost: the holder must stop. */
  renew(lease: Lease, leaseMs: number): Promise<boolean>;
  /**
   * Whether the lease is still this process's, asked before each tool runs. True at once while by
   * the process's own clock no other can have taken the lane; else the store is asked, and waited
   * for until `signal` is aborted. Left out by a store whose leases end by their time alone.
   */
  isHeld?(lease: Lease, signal: AbortSignal): Awaitable<boolean>;
  /**
   * Records the answer, the files that go with it, and the turn in one step, before anything is sent; the files are kept
   * until the message is done. The same answer again changes nothing. Throws LEASE_LOST if the lane was lost, or another
   * answer is recorded.
   */
  answer(
    claim: Claim,
    reply: string,
    session: string,
    turn: readonly ChatMessage[],
    files?: readonly MediaRef[],
  ): Promise<void>;
  /** The platform confirmed: the message is done and its lane is free. Throws LEASE_LOST. */
  ack(claim: Claim): Promise<void>;
  /** Frees the lane; the message is due again as `retry` says. Later messages of the lane wait behind it. Throws LEASE_LOST. */
  retry(claim: Claim, retry: Retry): Promise<void>;
  /** Puts a message aside and, in the same step, keeps what its sender is told; the lane goes on. Throws LEASE_LOST. */
  deadLetter(claim: Claim, reason: string, notice?: Notice): Promise<void>;
  /** True while somebody wants this process to take no new work: it claims nothing, and begins no turn of a caller. */
  isDrained?(): boolean;
  /** Frees what those held who are known to be dead, and nothing of the living: call it at any time. Who lives, the store knows. */
  recover(): Promise<void>;
  /** In how many ms a message falls due; 0 or less: one is due now; undefined: none waits. */
  dueIn(bounds?: ClaimBounds): Promise<number | undefined>;
  /**
   * Calls `wake` once something may have fallen due: soon after this handle accepted, posted, put back, woke or released it; a
   * store that hears of other nodes calls it for theirs too. Returns the function that ends it. A message of another node may
   * come without a call, so look now and then as well.
   */
  onDue(wake: () => void): () => void;
  /** Makes due what waits for `waitsFor`, at most `limit` lanes, those first that were tried longest ago; returns how many. */
  wake(waitsFor: string, limit?: number): Promise<number>;
  /** Returns the parts that messages wait for now. */
  waits(): Promise<readonly Waiting[]>;
  stats(): Promise<LaneStats>;
  /**
   * Returns a page of waiting messages or dead letters, oldest first, beyond the number `after`.
   */
  page(state: KeptMessage["state"], limit: number, after?: number): Promise<readonly KeptMessage[]>;
  read(
    number: number,
  ): Promise<(KeptMessage & { readonly message: InboundMessage; readonly reply?: string }) | undefined>;
  /** A dead letter waits again as if it had come now; false if there is none of that number. */
  putBack(number: number): Promise<boolean>;
  /**
   * Forgets the content of a waiting message or a dead letter, never its id; returns false if there
   * is none, or it is being answered. If a person's message waited, `notice` is kept in the same
   * step: the sender of a dead letter was told before.
   */
  drop(number: number, notice?: Notice): Promise<boolean>;
  /** Takes a lane for a caller who waits for the answer, {@link renew} prolongs it; undefined while it is held. */
  hold(lane: string, leaseMs: number): Promise<Lease | undefined>;
  /** Ends a hold. Nothing happens if it was lost. */
  release(lease: Lease): Promise<void>;
}
