import type { Decision } from "@gantry/sdk/fill";
import type { Logger, Part, PromptOptions, ToolProgress, TurnEvent } from "@gantry/sdk";
import type { HookTable } from "../plugins/hook-table.ts";
import type { Registry } from "../plugins/registry.ts";
import type { Audit } from "../record/audit.ts";
import type { Redaction } from "../record/redaction.ts";
import type { Telling } from "../record/observers.ts";
import type { Approvals } from "./approvals.ts";
import type { Rulings } from "./rulings.ts";
import type { ToolList } from "./tool-list.ts";
import type { SessionSources } from "./session-sources.ts";
import type { TurnContext } from "./turn-context.ts";

/** The parts of the host that every call needs. */
export interface CallDeps {
  readonly registry: Registry;
  readonly tools: ToolList;
  readonly hooks: HookTable;
  readonly audit: Audit;
  readonly approvals: Approvals;
  readonly rulings: Rulings;
  readonly sources: SessionSources;
  readonly observers: Telling;
  readonly log: Logger;
  /** Returns the resolved workspace of a turn. */
  readonly cwd: (turn: TurnContext | undefined) => Promise<string>;
  /** Returns true if these commands can reach the network. */
  readonly network: (commands: readonly string[]) => Promise<boolean>;
  readonly maxOutputBytes: number;
  /** The redaction of what an owner is asked when a call belongs to no turn. */
  readonly forOwner: Redaction;
}

export interface CallRequest {
  /** The model's own id of the call, where there is one. */
  readonly id?: string;
  readonly tool: string;
  /** JSON text as a model wrote it, or an object. */
  readonly args: unknown;
  readonly session: string;
  readonly user: string;
  readonly signal: AbortSignal;
  readonly approvals: PromptOptions["approvals"];
  onEvent?(event: TurnEvent): void;
  /** Told how far the tool is, and each tool that it calls. */
  onProgress?(step: ToolProgress): void;
  readonly depth?: number;
  /** When the time of the tool that waits for it is up, by `performance.now()`. */
  readonly until?: number;
  /** The tools of this turn, where it has fewer than there are. */
  readonly tools?: readonly string[];
  /** Undefined for a call outside of turns. */
  readonly turn?: TurnContext;
}

export interface CallOutcome {
  readonly decision: Decision;
  readonly code?: string;
  /** The result as text, or why there is none. */
  readonly text: string;
  /** The result for the model, where it is more than text. */
  readonly parts?: readonly Part[];
  /** It ran, and its work went wrong. */
  readonly workFailed?: boolean;
}
