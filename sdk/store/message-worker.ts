import type { Awaitable } from "../contract/awaitable.ts";
import type { InboundMessage, Sent } from "../messages/channel.ts";
import type { Claim, ClaimBounds, Lanes, Notice } from "./lanes.ts";
import type { Observer } from "../turns/observer.ts";
import type { ProviderFailure } from "../models/provider.ts";
import { having } from "../contract/shape.ts";
import { one } from "../contract/slot.ts";
import type { TurnEvent } from "../turns/turn.ts";

/**
 * The end of the turn of a claimed message. `answered`: the answer is there and not kept yet; it is
 * not whole if the turn broke off after its tools had run. `refused`: the guards do not let its
 * sender in any more. `paused`: its sender writes faster than allowed. `failed`: nothing was done.
 */
export type ClaimedTurn =
  | { readonly status: "answered"; readonly isWhole: boolean }
  | { readonly status: "refused"; readonly reason: string }
  | { readonly status: "paused"; readonly afterMs: number }
  | { readonly status: "failed"; readonly error: ProviderFailure };

export interface ClaimedTurnOptions {
  /** Aborted, it ends the turn for now: the questions that it asks stay open for the next try. */
  readonly signal: AbortSignal;
  /** Stands before the person's words for the model, and is kept with them. */
  readonly note?: string | undefined;
  /** Told of every step while the turn runs. */
  onEvent?(event: TurnEvent): void;
}

/**
 * The host's part in the work on accepted messages: guards, turns and the way out. A worker chooses
 * when a message is worked on, never what is asked, for whom, or what is answered. A method that
 * takes a claim throws LEASE_LOST for one that {@link ClaimedMessages.claim} did not return.
 */
export interface ClaimedMessages {
  /** The store's; claim by {@link ClaimedMessages.claim} in place of its own `claim`. */
  readonly lanes: Lanes;
  /** Claims as {@link Lanes.claim} does; the claims are frozen. */
  claim(max: number, leaseMs: number, bounds?: ClaimBounds): Promise<readonly Claim[]>;
  /**
   * Does the work on a claim for the caller of its message, with its trace in the log lines. The
   * work keeps no async context of whoever woke the worker.
   */
  traced<T>(claim: Claim, work: () => Promise<T>): Promise<T>;
  /** Runs the turn of a message for its sender, if guards and the sender's pace let it through. */
  turn(claim: Claim, options: ClaimedTurnOptions): Promise<ClaimedTurn>;
  /** Records turn and answer as {@link Lanes.answer} does. */
  keep(claim: Claim): Promise<void>;
  /** Sends the recorded answer. Throws LEASE_LOST if none is recorded, nothing for the channel. */
  send(claim: Claim, signal: AbortSignal): Promise<Sent>;
  /**
   * Shows a short text beside the answer, in place of the message `shown` if that is given; refused
   * where the channel cannot edit.
   */
  show(claim: Claim, text: string, shown: string | undefined, signal: AbortSignal): Promise<Sent>;
  /**
   * Returns a redacted notice to the sender; {@link Lanes.post} keeps one for each `about`. Throws
   * REDACTION_FAILED.
   */
  notice(message: InboundMessage, about: string, text: string): Awaitable<Notice>;
  /** Tells the observers how far a message has come. */
  moved(claim: Claim, state: LaneState): void;
}

export type LaneState = Parameters<NonNullable<Observer["laneMoved"]>>[0]["state"];

export interface RunningWorker {
  /**
   * Begins no new work; what runs is cancelled at `signal` and stays in the store. From `unheard`
   * on nothing comes in any more, so a turn that waits for a person may end.
   */
  stop(signal: AbortSignal, unheard?: AbortSignal): Promise<void>;
}

/**
 * Works off the messages that were accepted, while the host serves. Without a worker they are kept
 * and not answered.
 */
export interface MessageWorker {
  /** Resolves once the worker takes messages. */
  start(messages: ClaimedMessages): Promise<RunningWorker>;
}
export const MessageWorker = one<MessageWorker>("message-worker", having("start"));
