import {
  errors,
  type ApprovalRequest,
  type GantryError,
  type Question,
  type Tool,
  type ToolCall,
} from "@gantry/sdk";
import type { Approvals } from "./approvals.ts";
import { printable } from "../record/printable.ts";
import type { CallRequest } from "./tool-call.ts";

/** What came of a question; `result` is for the audit, `error` is set unless it is a yes. */
interface Asked {
  readonly result: string;
  readonly error?: GantryError;
}

/** Waits for a person's word on one exact call. */
export async function requestApproval(
  approvals: Approvals,
  request: CallRequest,
  tool: Tool,
  call: ToolCall,
  questions: readonly Question[],
): Promise<Asked> {
  const { session, user, args } = call;
  const preview = printable(previewOf(tool, call), Number.POSITIVE_INFINITY);
  const reasons = questions.map(({ reason }) => printable(reason));
  return askPerson(approvals, request, { session, user, tool: call.tool, args, preview, reasons });
}

/** Waits for a person's word on whatever is asked, by the way that the turn gives. */
export async function askPerson(
  approvals: Approvals,
  { approvals: way, onEvent, signal }: Pick<CallRequest, "approvals" | "onEvent" | "signal">,
  question: Omit<ApprovalRequest, "id" | "expires">,
): Promise<Asked> {
  const { tool } = question;
  if (way === "yes") return { result: "allow by --yes" };
  if (way === "none" || !onEvent)
    return { result: "deny: nobody to ask", error: errors.APPROVAL_NO_PERSON(tool) };
  const announce = (request: ApprovalRequest): void => onEvent({ type: "approval_request", request });
  const { id, answer } = await approvals.ask(question, announce, signal);
  onEvent({ type: "approval_done", id, decision: answer.decision === "allow" ? "allow" : "deny" });
  if (answer.decision === "allow") return { result: `allow by ${answer.by}` };
  if (answer.decision === "deny")
    return { result: `deny by ${answer.by}`, error: errors.APPROVAL_DENIED(tool) };
  if (answer.decision === "expired")
    return { result: "deny: expired", error: errors.APPROVAL_EXPIRED(tool, approvals.waitMs / 1_000) };
  return { result: "deny: cancelled", error: errors.TURN_CANCELLED() };
}

/** What will really run: the tool's own words and every path as it was resolved. */
function previewOf(tool: Tool, call: ToolCall): string {
  const shown = tool.preview?.(call.args) ?? `${call.tool} ${JSON.stringify(call.args)}`;
  const moved = call.effects.paths
    .filter(({ path, resolved }) => !resolved.endsWith(path))
    .map(({ path, resolved }) => `${path} is ${resolved}`);
  return [shown, ...moved].join("\n");
}
