import type { Decider } from "./approval.ts";
import type { TurnFacts } from "./observer.ts";
import { one } from "../contract/slot.ts";
import type { TurnEvent } from "./turn.ts";

/** A turn, or a call of {@link Inbox.call}, that runs in this process. */
export interface RunningTurn extends TurnFacts {
  /** The tool, if it is a call. */
  readonly tool?: string;
  /** Unix ms. */
  readonly began: number;
}

/** Turns as seen from elsewhere; filled by the host. */
export interface Turns {
  /**
   * Returns the turns of this person, and in a channel those of the conversation in which they are
   * an owner.
   */
  running(by: Decider): readonly RunningTurn[];
  /**
   * Yields the steps of the turns and calls of a session, this one's and those after it, until
   * `signal`; each ends with `turn_ended`. Throws READER_TOO_SLOW. Who may see a session is for the
   * caller to know.
   */
  watch(session: string, signal: AbortSignal): AsyncIterable<TurnEvent>;
  /**
   * Ends the turn that runs, if {@link Turns.running} names it to this person. Returns false
   * otherwise, or if none runs.
   */
  stop(session: string, by: Decider): Promise<boolean>;
}
export const Turns = one<Turns>("turns");
