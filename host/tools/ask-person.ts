import type { ApprovalRequest } from "@gantry/sdk";
import type { Approvals, Decided } from "./approvals.ts";
import type { CallRequest } from "./call.ts";

/** How a turn reaches a person. */
export type WayToPerson = Pick<CallRequest, "approvals" | "onEvent" | "signal">;

/** Waits for a person's decision by the way that the turn has; `nobody` where there is none. */
export async function askPerson(
  approvals: Approvals,
  { approvals: way, onEvent, signal }: WayToPerson,
  question: Omit<ApprovalRequest, "id" | "expires">,
): Promise<Decided | { readonly decision: "nobody" }> {
  if (way === "yes") return { decision: "allow", by: "--yes" };
  if (way === "none" || !onEvent) return { decision: "nobody" };
  const announce = (request: ApprovalRequest): void => onEvent({ type: "approval_request", request });
  const { id, decided } = await approvals.ask(question, announce, signal);
  const isYes = decided.decision === "allow" || decided.decision === "always";
  onEvent({ type: "approval_done", id, decision: isYes ? "allow" : "deny" });
  return decided;
}
