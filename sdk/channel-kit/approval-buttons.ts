import { endedText } from "../turns/approval-text.ts";
import type { ApprovalRequest, Approvals, DecisionOutcome } from "../turns/approval.ts";
import { laneOf, userOf, type InboundMessage } from "../messages/channel.ts";

/** A button: its label, and the data that the platform hands back on a press (at most 64 bytes). */
export interface ApprovalButton {
  readonly label: string;
  readonly data: string;
}

const dataForm = /^a:([0-9a-f]{16}):(allow|always|deny)$/;

/** Returns the decisions that a question leaves open. */
export function approvalButtons({ id, always }: ApprovalRequest): readonly ApprovalButton[] {
  const lasting = { label: "Always, in this conversation", data: `a:${id}:always` };
  return [
    { label: "Allow", data: `a:${id}:allow` },
    ...(always === undefined ? [] : [lasting]),
    { label: "Deny", data: `a:${id}:deny` },
  ];
}

/** The person who pressed, and the place, as for a message that they had written there. */
export type Presser = Pick<InboundMessage, "channel" | "sender" | "conversation" | "trust">;

/** Returns true if a button's data is a decision on a question. */
export function isApprovalData(data: string): boolean {
  return dataForm.test(data);
}

const notices: Readonly<Record<Exclude<DecisionOutcome, "done">, string>> = {
  decided: "This was decided already.",
  forbidden: "Only an owner may decide this, where it was asked.",
  unknown: "This question is no longer open.",
};

/**
 * Hands a press to the host, which knows who may decide; `notice` is the sentence for the presser.
 */
export async function pressApproval(
  approvals: Approvals,
  data: string,
  presser: Presser,
): Promise<{ readonly outcome: DecisionOutcome; readonly notice: string }> {
  const [, id = "", decision = "deny"] = dataForm.exec(data) ?? [];
  const by = { user: userOf(presser), conversation: laneOf(presser), trust: presser.trust };
  const outcome = await approvals.decide(id, decision, by);
  if (outcome !== "done") {
    const end = outcome === "decided" ? await approvals.ended?.(id, by) : undefined;
    return { outcome, notice: end ? endedText(end, by.user) : notices[outcome] };
  }
  return { outcome, notice: decision === "deny" ? "Denied." : "Allowed." };
}
