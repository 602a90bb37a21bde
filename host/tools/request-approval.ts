import { errors, type GantryError, type Question, type Tool, type ToolCall } from "@gantry/sdk";
import type { Approvals } from "./approvals.ts";
import { printable } from "../record/printable.ts";
import type { CallRequest } from "./tool-call.ts";

/** Waits for a person's word on one exact call; `result` is for the audit, `error` is set unless it is a yes. */
export async function requestApproval(
  approvals: Approvals,
  request: CallRequest,
  tool: Tool,
  call: ToolCall,
  questions: readonly Question[],
): Promise<{ readonly result: string; readonly error?: GantryError }> {
  if (request.approvals === "yes") return { result: "allow by --yes" };
  if (request.approvals === "none" || !request.onEvent)
    return { result: "deny: nobody to ask", error: errors.APPROVAL_NO_PERSON(call.tool) };
  const question = {
    session: call.session,
    user: call.user,
    tool: call.tool,
    args: call.args,
    preview: printable(previewOf(tool, call), Number.POSITIVE_INFINITY),
    reasons: questions.map(({ reason }) => printable(reason)),
  };
  const { id, answer } = await approvals.ask(
    question,
    (announced) => request.onEvent?.({ type: "approval_request", request: announced }),
    request.signal,
  );
  request.onEvent({ type: "approval_done", id, decision: answer.decision === "allow" ? "allow" : "deny" });
  if (answer.decision === "allow") return { result: `allow by ${answer.by}` };
  if (answer.decision === "deny")
    return { result: `deny by ${answer.by}`, error: errors.APPROVAL_DENIED(call.tool) };
  if (answer.decision === "expired")
    return { result: "deny: expired", error: errors.APPROVAL_EXPIRED(call.tool, approvals.waitMs / 1_000) };
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
