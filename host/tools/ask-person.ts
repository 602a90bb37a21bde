import type { ApprovalRequest, Trust } from "@gantry/sdk";
import type { Approvals } from "./approvals.ts";
import type { Decided } from "./asked-question.ts";
import type { CallRequest } from "./call.ts";

/** How a turn reaches a person. */
export type WayToPerson = Pick<CallRequest, "approvals" | "onEvent" | "signal">;

/**
 * Waits for a person's decision by the way that the turn has; `nobody` if it has none. `call` is the
 * digest of the exact call.
 */
export async function askPerson(
  approvals: Approvals,
  { approvals: way, onEvent, signal }: WayToPerson,
  question: Omit<ApprovalRequest, "id" | "expires">,
  call: string = "",
): Promise<Decided | { readonly decision: "nobody" }> {
  if (way === "yes") return { decision: "allow", by: "--yes" };
  if (way === "none" || !onEvent) return { decision: "nobody" };
  const announce = (request: ApprovalRequest): void => onEvent({ type: "approval_request", request });
  const { id, decided } = await approvals.ask({ question, call, announce, signal });
  const isYes = decided.decision === "allow" || decided.decision === "always";
  onEvent({ type: "approval_done", id, decision: isYes ? "allow" : "deny" });
  return decided;
}

/** How whoever has a turn with this trust gets to be asked. A chat has no flags: there its owners are asked. */
export function wayToBeAsked(trust: Trust = "owner"): string {
  return trust === "owner"
    ? "run it in a terminal, pass --yes, or over HTTP ask for a stream, whose questions can be answered"
    : "it is for an owner of this channel to ask for it; who that is stands in the channel's `owners`";
}
