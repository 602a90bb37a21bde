import type { ApprovalRequest } from "@gantry/sdk";
import type { QuestionEnd } from "@gantry/sdk/fill";
import type { Whose } from "./may-decide.ts";

/** The reason that aborts a turn which begins again later: its open questions stay open. */
export const answeredLater: Error = Object.assign(new Error("the message is answered later"), {
  name: "AbortError",
});

/** A question as it was asked. */
export interface Asked {
  readonly request: ApprovalRequest;
  /** Stands for the exact call, the conversation, and all that a person is shown. */
  readonly digest: string;
  /** Unix ms. */
  readonly at: number;
}

/** The place and time at which a question was put to people. */
export interface Delivered {
  /** Unix ms. */
  readonly at: number;
  /** The platform's id of the message that asks. */
  readonly message?: string;
}

/** The end of a question, with the facts that say who may be told. */
export interface Ended extends QuestionEnd, Whose {
  readonly digest: string;
}

/** The facts about a question. */
export interface Question {
  readonly id: string;
  /** Undefined once the question was used up or its time is over. */
  readonly asked?: Asked;
  readonly delivered?: Delivered;
  readonly ended?: Ended;
}

export type Decided =
  | { readonly decision: "allow" | "always" | "deny"; readonly by: string; readonly why?: string }
  | { readonly decision: "expired" | "cancelled" }
  | { readonly decision: "undelivered"; readonly reason: string };

/** A question before it says whose it is, and until when. */
export type Unasked = Omit<ApprovalRequest, "id" | "expires" | "device" | "person">;

/** The question to ask, and the way to show it. */
export interface Asking {
  readonly question: Omit<ApprovalRequest, "id" | "expires">;
  /** The digest of the exact call. */
  readonly call: string;
  /** Shows the question to whoever can decide. */
  readonly announce: (request: ApprovalRequest) => void;
  readonly signal: AbortSignal;
}

/** A question that a turn of this process waits for. */
export interface Waiting {
  readonly request: ApprovalRequest;
  wake: () => void;
  delivered: Delivered | undefined;
  /** Resolves once the platform has answered. */
  sending: Promise<void> | undefined;
}

/** Returns who is asked, and where; undefined if nothing but a late fact is left of a question. */
export function askedOf({ asked, ended }: Question): Whose | undefined {
  return ended ?? asked?.request;
}

/** True while a person may decide the question. */
export function isOpen({ asked, ended }: Question): boolean {
  return asked !== undefined && ended === undefined && leftMs(asked.request) > 0;
}

/** Returns the milliseconds until the question expires. */
export function leftMs({ expires }: Pick<ApprovalRequest, "expires">): number {
  return Math.max(0, Date.parse(expires) - Date.now());
}
