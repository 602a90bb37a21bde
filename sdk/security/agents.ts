import type { Autonomy } from "./autonomy.ts";
import type { Awaitable } from "../contract/awaitable.ts";
import type { InboundMessage } from "../messages/channel.ts";
import type { TurnBudget } from "../messages/inbox.ts";
import type { Effort } from "../models/provider.ts";
import { having } from "../contract/shape.ts";
import { one } from "../contract/slot.ts";

/**
 * One of several who answer. Each bound narrows what the caller asks for and what the
 * configuration, or the turn around it, allows; none widens it. What is left out is as it would be
 * without an agent.
 */
export interface Agent {
  /** In the form of `PromptOptions.agent`; guards, observers and prompt parts are told it. */
  readonly name: string;
  readonly provider?: string;
  readonly model?: string;
  readonly effort?: Effort;
  /** The names of its tools. */
  readonly tools?: readonly string[];
  readonly autonomy?: Autonomy;
  /** The folder that it works in, as an absolute path or from the configured workspace. */
  readonly workspace?: string;
  /** The limits of one turn. */
  readonly budget?: TurnBudget;
  /** `shared`: it knows what is remembered of a person without an agent. Default `own`. */
  readonly memory?: "own" | "shared";
}

/** A message whose agent is asked for. */
export interface AgentAsked {
  readonly message: InboundMessage;
  readonly session: string;
  /** Whom the caller names, as `PromptOptions.agent`; a name that no agent has is a label. */
  readonly named?: string;
}

/**
 * The agents that answer people, as they are configured. The host asks for each message and for
 * each call outside of turns; in a turn within another the tool names the agent. A conversation
 * belongs to one agent: if another one answers, the conversation starts over, and what was before
 * is kept under another id.
 */
export interface Agents {
  list(): readonly Agent[];
  /**
   * Returns the agent; undefined: the assistant without an agent. What it throws ends the turn
   * before it begins.
   */
  of(asked: AgentAsked): Awaitable<Agent | undefined>;
}
export const Agents = one<Agents>("agents", having("list", "of"));
