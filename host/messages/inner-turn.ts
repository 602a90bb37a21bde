import type { InboundMessage, ModelRef, PromptOptions, TurnEvent } from "@gantry/sdk";
import type { Lease } from "@gantry/sdk/fill";
import { errors } from "./errors.ts";
import type { Redaction } from "../record/redaction.ts";
import type { CallRequest } from "../tools/call.ts";
import { SpentBudget } from "../tools/spent-budget.ts";
import type { TurnContext } from "../tools/turn-context.ts";
import { turnIds } from "@gantry/sdk/node";

/** How many turns may stand around one. */
const maxAround = 2;

/** A turn that a tool asked for while it ran, and the sessions of all turns around it, the outermost first. */
export interface InnerTurn {
  readonly call: CallRequest;
  readonly around: readonly string[];
}

/** The sessions of all turns around a turn that the tool of this call asks for; throws where it may not have one. */
export function sessionsAround(call: CallRequest, session: string | undefined): readonly string[] {
  const around = [...(call.turn?.around ?? []), call.session];
  if (around.length > maxAround) throw errors.TURN_TOO_DEEP(maxAround);
  // It would wait for the turn that waits for it.
  if (session !== undefined && around.includes(session)) throw errors.SESSION_RUNNING();
  return around;
}

/** The message as the person of the call says it. */
export function saidWithin({ user, turn }: CallRequest, message: InboundMessage): InboundMessage {
  const [channel = "", ...id] = user.split(":");
  const { caller: _, ...rest } = message;
  const caller = turn?.caller;
  const said = { ...rest, channel, sender: { id: id.join(":") }, trust: turn?.trust ?? "owner" };
  return caller ? { ...said, caller } : said;
}

/** What the tool asked for, within what its own turn may do. */
export function optionsWithin(call: CallRequest, options: PromptOptions): PromptOptions {
  const tools = call.tools && (options.tools?.filter((name) => call.tools?.includes(name)) ?? call.tools);
  const onEvent = (event: TurnEvent): void => {
    options.onEvent?.(event);
    // Questions are put where the person is; all else is the tool's to show.
    if (isForPerson(event)) call.onEvent?.(event);
  };
  return {
    ...options,
    approvals: options.approvals === "none" ? "none" : call.approvals,
    signal: AbortSignal.any([options.signal, call.signal]),
    ...(tools && { tools }),
    onEvent,
  };
}

function isForPerson({ type }: TurnEvent): boolean {
  return type.startsWith("approval_") || type.startsWith("tool_question");
}

/** Makes the context of a turn; `usual` is who answers in its session, `redaction` its person's. */
export function contextOf(
  message: InboundMessage,
  given: Partial<PromptOptions> & { readonly lease?: Lease | undefined },
  usual: ModelRef,
  inner: InnerTurn | undefined,
  redaction: Redaction,
): TurnContext {
  const { provider, model, effort, budget, agent, autonomy, workspace, lease } = given;
  const outer = inner?.call.turn;
  const isNamed = provider !== undefined || model !== undefined;
  const named = { provider: provider ?? usual.provider, model: model ?? usual.model };
  return {
    ids: turnIds(message, outer?.ids),
    trust: message.trust,
    caller: message.caller,
    message: inner ? outer?.message : message,
    around: inner?.around ?? [],
    budget: new SpentBudget(budget, outer?.budget),
    want: isNamed ? named : (outer?.want ?? usual),
    effort: effort ?? outer?.effort,
    agent: agent ?? outer?.agent,
    autonomy,
    workspace: workspace ?? outer?.workspace,
    lease: outer?.lease ?? lease,
    until: inner?.call.until,
    redaction: outer?.redaction ?? redaction,
  };
}
