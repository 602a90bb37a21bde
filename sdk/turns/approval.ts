import { one } from "../contract/slot.ts";
import type { Caller } from "../security/scope.ts";
import type { Trust } from "../security/trust.ts";

/** A question to a person about one exact call. Every text in it is safe to print. */
export interface ApprovalRequest {
  readonly id: string;
  readonly session: string;
  readonly user: string;
  /** The paired device that began the turn, by its id. */
  readonly device?: string;
  /** The person of `[people]` who is asked. */
  readonly person?: string;
  /**
   * The trust of whoever caused it, if they are not an owner: then the owners of the channel
   * decide, at any of their doors.
   */
  readonly trust?: Exclude<Trust, "owner">;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** All that will run, whole. */
  readonly preview: string;
  /** The lines of the preview and the diff together. */
  readonly lines: number;
  /** The number of commands that a shell would run; 0 if none. */
  readonly commands: number;
  /** The change to a file, as a unified diff. */
  readonly diff?: string;
  readonly reasons: readonly string[];
  /** Things in the call that look like something else than they are. */
  readonly warnings: readonly string[];
  /**
   * The calls that a yes for the rest of the conversation would cover; undefined if only this one
   * call can be allowed.
   */
  readonly always?: string;
  /** ISO 8601; after that it is a no. */
  readonly expires: string;
}

/** The person who decides a question, and their place. */
export interface Decider {
  /** `<channel>:<user_id>` */
  readonly user: string;
  /**
   * The conversation in which a channel took the decision, as {@link laneOf} names it, and the
   * sender's trust there.
   */
  readonly conversation?: string;
  readonly trust?: Trust;
  /** The paired device by which they decide. */
  readonly caller?: Caller;
}

/**
 * The outcome of a decision. `decided`: too late; `unknown`: no such question; `forbidden`: not
 * theirs to decide, or not there.
 */
export type DecisionOutcome = "done" | "decided" | "unknown" | "forbidden";

/** The end of a question. */
export interface QuestionEnd {
  /** `withdrawn`: the call is not made any more; `undelivered`: nobody was shown the question. */
  readonly decision: "allow" | "always" | "deny" | "expired" | "withdrawn" | "undelivered";
  /** The person who decided, if one did: `<channel>:<user id>`, and ` (<name>)` of `[people]`. */
  readonly by?: string;
  /** One sentence that says why nobody can decide any more; left out if somebody decided. */
  readonly reason?: string;
  /** The person's words to their no. */
  readonly why?: string;
}

/**
 * Open questions, kept in the store; filled by the host. A question outlives the process that asked
 * it: if the same turn asks for the same call again, the old question is taken up. A decision
 * counts once, for that call in that conversation.
 */
export interface Approvals {
  /** Returns all questions, or those that this person may decide. */
  pending(by?: Decider): Promise<readonly ApprovalRequest[]>;
  /**
   * Decides a question: the one place that says who may approve. Only the exact words `allow` and
   * `always` release. The model is told `why` with a no; hosts of earlier releases do not tell it.
   */
  decide(id: string, decision: string, by: Decider, why?: string): Promise<DecisionOutcome>;
  /**
   * Returns what became of a question, for somebody who could have decided it. Undefined for
   * everybody else, while the question is open, and from an hour after its time on.
   */
  ended?(id: string, by: Decider): Promise<QuestionEnd | undefined>;
}
export const Approvals = one<Approvals>("approvals");
