import type { InboundMessage } from "./channel.ts";
import type { ChatMessage } from "./provider.ts";

/** A message that a holder has taken to answer, until its lease ends. All times are in Unix ms, as the host tells them. */
export interface Claim {
  readonly message: InboundMessage;
  readonly owner: string;
  /** Which claim of this message it is, from 1. */
  readonly deliveryCount: number;
  /** How often the message was begun since something last came of it; beyond 1, a process ended over it. */
  readonly begun: number;
  /** Tries that failed through the message itself; waits are none. */
  readonly failures: number;
  readonly acceptedAt: number;
  /** When it was last tried in vain. */
  readonly triedAt?: number;
  /** Set if the answer is already recorded and only the sending is left. */
  readonly reply?: string;
  /** True for a message of the service's own, which nobody wrote and nobody is told about. */
  readonly isNotice: boolean;
}

/** A message of the service itself, kept until it is sent. Its `message` says where to; the (channel, id) is sent once. */
export interface Notice {
  readonly message: InboundMessage;
  readonly reply: string;
  readonly at: number;
}

/** When a message that was not answered is due again, and why. */
export interface Retry {
  readonly at: number;
  readonly reason: string;
  /** What has to come back first, such as `model` or `channel:chatapp`; {@link Lanes.wake} makes it due before `at`. */
  readonly waitsFor?: string;
  /** Set if it was tried in vain now. */
  readonly triedAt?: number;
  /** Counts as a failure of the message's own. */
  readonly counts?: boolean;
}

/** What became of each message that was to be accepted: `over` if its sender has too many that wait. */
export type Acceptance = "accepted" | "duplicate" | "over";

export interface AcceptBounds {
  readonly at?: number;
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

/** A message that waits, or that was put aside, as it is listed. */
export interface KeptMessage {
  readonly number: number;
  readonly state: "waiting" | "dead";
  readonly channel: string;
  readonly id: string;
  /** The conversation's lane. */
  readonly lane: string;
  /** ISO 8601. */
  readonly accepted: string;
  /** ISO 8601; of a dead letter, when it was put aside. */
  readonly ended?: string;
  readonly failures: number;
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
 * to one holder at a time; what is accepted survives the process at any moment. Every call may be repeated.
 */
export interface Lanes {
  /** Resolves once all are on disk; a (channel, id) is accepted once. */
  accept(messages: readonly InboundMessage[], bounds?: AcceptBounds): Promise<readonly Acceptance[]>;
  /** Keeps a notice, in a lane beside the conversation's; false if its (channel, id) is known. */
  post(notice: Notice): Promise<boolean>;
  /** The oldest due message of a lane that nobody holds, or undefined. `now` and the lease are in ms. */
  claim(holder: string, leaseMs: number, now: number, bounds?: ClaimBounds): Promise<Claim | undefined>;
  /** False if the lane was lost: the holder must stop. */
  renew(claim: Claim, leaseMs: number, now: number): Promise<boolean>;
  /** Records the answer and the turn in one step, before anything is sent. False if the lane was lost: nothing is recorded. */
  answer(claim: Claim, reply: string, session: string, turn: readonly ChatMessage[]): Promise<boolean>;
  /** The platform confirmed: the message is done and its lane is free. */
  ack(claim: Claim): Promise<void>;
  /** Frees the lane; the message is due again as `retry` says. Later messages of the lane wait behind it. */
  retry(claim: Claim, retry: Retry): Promise<void>;
  /** Puts a message aside and, in the same step, keeps what its sender is told; the lane goes on. */
  deadLetter(claim: Claim, reason: string, notice?: Notice): Promise<void>;
  /** Frees what holders that no longer live have taken. Call it only if no other node shares the store. */
  recover(): Promise<void>;
  /** When the next message falls due, or undefined. */
  nextDue(bounds?: ClaimBounds): Promise<number | undefined>;
  /** Makes due what waits for `waitsFor`, at most `limit` lanes, those first that were tried longest ago; returns how many. */
  wake(waitsFor: string, limit?: number): Promise<number>;
  /** What messages wait for now. */
  waits(): Promise<readonly Waiting[]>;
  /** Moves every time of what is not done by `ms`, after the machine's clock was set. */
  shift(ms: number): Promise<void>;
  stats(): Promise<LaneStats>;
  /** A page of what waits or was put aside, oldest first, beyond the number `after`. */
  page(state: KeptMessage["state"], limit: number, after?: number): Promise<readonly KeptMessage[]>;
  read(
    number: number,
  ): Promise<(KeptMessage & { readonly message: InboundMessage; readonly reply?: string }) | undefined>;
  /** A dead letter waits again as if it had come at `now`; false if there is none of that number. */
  putBack(number: number, now: number): Promise<boolean>;
  /** Forgets the content of what waits or was put aside, never its id; false if there is none, or it is being answered. */
  drop(number: number): Promise<boolean>;
  /** Takes a lane for a caller who waits for the answer; false while somebody else holds it. */
  hold(lane: string, holder: string, leaseMs: number, now: number): Promise<boolean>;
  release(lane: string, holder: string): Promise<void>;
}
