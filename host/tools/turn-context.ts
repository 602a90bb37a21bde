import { randomUUID } from "node:crypto";
import type { Autonomy, Caller, InboundMessage, ModelRef, Trust } from "@gantry/sdk";
import type { Effort, Lease } from "@gantry/sdk/fill";
import type { Redaction } from "../record/redaction.ts";
import type { SpentBudget } from "./spent-budget.ts";
import type { TurnIds } from "@gantry/sdk/node";

/** The turn that a call belongs to, as far as its calls and the turns within it depend on it. */
export interface TurnContext {
  readonly ids: TurnIds;
  readonly trust: Trust;
  /** The paired device that asked for it. */
  readonly caller: Caller | undefined;
  /** The message that the outermost turn answers; undefined if a call outside of turns stands around it. */
  readonly message: InboundMessage | undefined;
  /** Sessions of the turns around it, the outermost first. */
  readonly around: readonly string[];
  readonly budget: SpentBudget;
  readonly want: ModelRef;
  readonly effort: Effort | undefined;
  readonly agent: string | undefined;
  /** If it is not the configured one. */
  readonly autonomy: Autonomy | undefined;
  /** Resolved, if it is not the configured one. */
  readonly workspace: string | undefined;
  /** By which the outermost conversation is this process's, if it is held. */
  readonly lease: Lease | undefined;
  /** When the time of the tool around it is up, by `performance.now()`. */
  readonly until: number | undefined;
  /** What is taken out of what its tools ask the person of the outermost turn. */
  readonly redaction: Redaction;
}

/** Names the message whose turn it is. Outside of turns each call has a name of its own. */
export function messageNameOf(turn: TurnContext | undefined): string {
  return turn?.ids.message ?? randomUUID();
}

/** The conversation that people see: the one in which questions of this call are put, and for which they are answered. */
export function conversationOf(call: { readonly session: string; readonly turn?: TurnContext }): string {
  return call.turn?.around[0] ?? call.session;
}
