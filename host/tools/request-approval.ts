import { ShellReader, type GantryError, type Question, type Tool, type ToolCall } from "@gantry/sdk";
import { errors } from "./errors.ts";
import type { CallDeps, CallRequest } from "./call.ts";
import type { Decided } from "./asked-question.ts";
import type { Coverage } from "./conversation-approvals.ts";
import { askPerson, wayToBeAsked, yesBy } from "./ask-person.ts";
import { digestOf, digestOfValue } from "./effects.ts";
import { questionOf } from "./question.ts";
import type { TriedCall } from "./tried-call.ts";
import { conversationOf, messageNameOf } from "./turn-context.ts";

/** The end of a question: `result` is for the audit, `error` is set unless it is a yes. */
interface Approval {
  readonly result: string;
  readonly error?: GantryError;
}

/** Waits for a decision on one exact call. A yes for the conversation is kept by its coverage. */
export async function requestApproval(
  deps: CallDeps,
  request: CallRequest,
  tool: Tool,
  asked: {
    readonly call: ToolCall;
    readonly questions: readonly Question[];
    readonly coverage: Coverage | undefined;
    /** Undefined: the call is not tried first. */
    readonly tried: TriedCall | undefined;
  },
): Promise<Approval> {
  const { call, questions, coverage, tried } = asked;
  const by = yesBy(request.approvals, request.turn);
  if (by !== undefined) return { result: `allow by ${by}` };

  const shell = deps.registry.get(ShellReader);
  const exact = digestOf(call.tool, call.args, call.cwd, call.effects);
  const session = conversationOf(request);
  const canAsk = request.approvals === "ask" && request.onEvent !== undefined;
  const key = digestOfValue([session, messageNameOf(request.turn), exact]);
  const shown = canAsk ? await tried?.begin(tool, call, key) : undefined;
  const more = { shell, always: coverage?.shown, signal: request.signal, shown };
  const question = { ...(await questionOf(tool, call, questions, more)), session };
  const decided = await askPerson(deps, request, question, request.turn, exact);

  if (decided.decision === "nobody") {
    const way = wayToBeAsked(request.turn);
    const error = errors.APPROVAL_NO_PERSON(call.tool, way, question.reasons.join(" "));
    return { result: "deny: nobody to ask", error };
  }
  if (decided.decision === "always" && coverage)
    deps.rulings.conversations.add({ ...call, session }, questions, coverage, decided.by);
  return approvalOf(decided, call, coverage, deps.approvals.waitMs);
}

function approvalOf(
  decided: Decided,
  { tool }: ToolCall,
  coverage: Coverage | undefined,
  waitMs: number,
): Approval {
  switch (decided.decision) {
    case "allow":
      return { result: `allow by ${decided.by}` };
    case "always":
      return { result: `allow by ${decided.by} for this conversation (${coverage?.shown})` };
    case "deny":
      return {
        result: `deny by ${decided.by}`,
        error: errors.APPROVAL_DENIED(tool, decided.why === undefined ? "." : `, who says: ${decided.why}`),
      };
    case "expired":
      return { result: "deny: expired", error: errors.APPROVAL_EXPIRED(tool, waitMs / 1_000) };
    case "undelivered":
      return {
        result: "deny: not delivered",
        error: errors.APPROVAL_UNDELIVERED(tool, decided.reason),
      };
    case "cancelled":
      return { result: "deny: cancelled", error: errors.TURN_CANCELLED() };
  }
}
