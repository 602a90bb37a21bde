import { randomBytes } from "node:crypto";
import { laneOf, userOf, type CallOptions, type ToolCallOutcome } from "@gantry/sdk/fill";
import {
  Store,
  textParts,
  type InboundMessage,
  type ModelRef,
  type Part,
  type PromptOptions,
} from "@gantry/sdk";
import { shortHash } from "@gantry/sdk/node";
import { runTraced } from "../plugins/attribution.ts";
import type { Registry } from "../plugins/registry.ts";
import type { Redaction } from "../record/redaction.ts";
import type { CallOutcome, CallRequest } from "../tools/call.ts";
import { shownCall } from "../turn/calls.ts";
import { factsOf, type TurnDeps } from "../turn/turn.ts";
import { agentOf, asAgent, type Widest } from "./agents.ts";
import { contextOf } from "./inner-turn.ts";
import type { RunningTurns } from "./running-turns.ts";
import { enterSession } from "./session-access.ts";

interface Deps extends Widest {
  readonly registry: Registry;
  readonly turn: TurnDeps;
  readonly want: ModelRef;
  /** The redaction of what the owner sees at a terminal or device of their own. */
  readonly forOwner: Redaction;
}

/** Runs one tool for the person of a message that was let in. Throws for whoever may not. */
export async function callOutside(
  deps: Deps,
  turns: RunningTurns,
  message: InboundMessage,
  { tool, args, agent: named, workspace, approvals, signal, onEvent }: CallOptions,
): Promise<ToolCallOutcome> {
  const lane = laneOf(message);
  const { session = lane } = message;
  const sessions = deps.registry.get(Store)?.sessions;
  if (session !== lane && sessions) await enterSession(sessions, session, lane);

  const redaction = message.trust === "owner" ? deps.forOwner : deps.turn.redaction;
  const agent = await agentOf(deps.registry, message, session, named);
  // Options of a turn, such as a level of autonomy, are not for a call.
  const given = { agent: named, workspace, approvals, signal, onEvent };
  const asked: PromptOptions = await asAgent(deps, agent, given);
  const context = contextOf(message, asked, deps.want, undefined, redaction);
  const of = { session, user: userOf(message), redaction, context };
  const traceparent = context.ids.trace;
  const traced = { trace: message.trace, conversation: shortHash(session), traceparent };
  const call = { id: `call_${randomBytes(6).toString("hex")}`, name: tool, args };
  return turns.run(
    session,
    async (stop, is) => {
      is({ ...factsOf(of), tool });
      const options = turns.told(session, { ...asked, signal: AbortSignal.any([signal, stop]) });
      const outcome = runTraced(traced, () => shownCall(deps.turn, { ...of, options }, call));
      return shown(await outcome, redaction);
    },
    ({ code }) => (code === undefined ? { stop: "EndTurn" } : { stop: "Error", code }),
  );
}

/** Runs one tool for a tool that asks for it while it runs, as its own call. */
export async function callWithin(
  deps: Deps,
  around: CallRequest,
  { tool, args, approvals, signal, workspace }: CallOptions,
): Promise<ToolCallOutcome> {
  const { id: _, turn, ...rest } = around;
  const context = turn && { ...turn, workspace: workspace ?? turn.workspace };
  const outcome = await deps.turn.calls.run({
    ...rest,
    ...(context && { turn: context }),
    tool,
    args,
    approvals: approvals === "none" ? "none" : around.approvals,
    signal: AbortSignal.any([signal, around.signal]),
    depth: (around.depth ?? 0) + 1,
  });
  return shown(outcome, deps.turn.redaction);
}

async function shown(outcome: CallOutcome, redaction: Redaction): Promise<ToolCallOutcome> {
  const { decision, code, text, parts = textParts(text), workFailed = false } = outcome;
  const redacted = async (part: Part): Promise<Part> =>
    part.type === "text" ? { ...part, text: await redaction.text(part.text) } : part;
  return {
    decision,
    ...(code !== undefined && { code }),
    text: await redaction.text(text),
    parts: await Promise.all(parts.map(redacted)),
    workFailed,
  };
}
