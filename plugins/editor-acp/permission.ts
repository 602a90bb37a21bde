import type { PermissionOption } from "@agentclientprotocol/sdk";
import type { ApprovalRequest } from "@gantry/sdk";

const once: PermissionOption = { optionId: "allow", name: "Allow once", kind: "allow_once" };
const no: PermissionOption = { optionId: "deny", name: "Reject", kind: "reject_once" };

/**
 * Returns the answers that a question has: a rule only if one is offered, and none that rejects for
 * good.
 */
export function optionsOf({ always }: ApprovalRequest): PermissionOption[] {
  if (always === undefined) return [once, no];
  const name = `Allow in this conversation: ${always}`;
  return [once, { optionId: "always", name, kind: "allow_always" }, no];
}

/** Returns the decision of an answer: whatever is not a clear yes to what was offered is a no. */
export function decisionOf(request: ApprovalRequest, answer: unknown): "allow" | "always" | "deny" {
  const { outcome, optionId } =
    (answer as { outcome?: { outcome?: unknown; optionId?: unknown } })?.outcome ?? {};
  const chosen = optionsOf(request).find((option) => option.optionId === optionId);
  if (outcome !== "selected" || chosen === undefined) return "deny";
  return chosen.optionId as "allow" | "always" | "deny";
}
