import { one } from "./slot.ts";
import type { Caller } from "./scope.ts";
import type { Trust } from "./trust.ts";

/** A question to a person about one exact call. Every text in it is safe to print. */
export interface ApprovalRequest {
  readonly id: string;
  readonly session: string;
  readonly user: string;
  /** The paired device that began the turn, by its id. */
  readonly device?: string;
  /** Who of `[people]` is asked. */
  readonly person?: string;
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
  /** The conversation in which a channel took the decision, as {@link laneOf} names it, and the sender's trust there. */
  readonly conversation?: string;
  readonly trust?: Trust;
  /** The paired device by which they decide. */
  readonly caller?: Caller;
}

/** What became of a decision. `decided`: too late; `unknown`: no such question; `forbidden`: not theirs to decide, or not there. */
export type DecisionOutcome = "done" | "decided" | "unknown" | "forbidden";

/** Open questions; filled by the host. Each is used once and dies with the process that asked it. */
export interface Approvals {
  /** All, or those that this person may decide. */
  pending(by?: Decider): Promise<readonly ApprovalRequest[]>;
  /** The one place that decides who may approve. Only the exact words `allow` and `always` release. */
  decide(id: string, decision: string, by: Decider): Promise<DecisionOutcome>;
}
export const Approvals = one<Approvals>("approvals");
