import { approvalText } from "../approval-text.ts";
import { type ApprovalRequest, type Approvals } from "../approval.ts";
import { laneOf, userOf, type InboundMessage } from "../channel.ts";

/** A button: what stands on it, and what the platform hands back when it is pressed (at most 64 bytes). */
export interface ApprovalButton {
  readonly label: string;
  readonly data: string;
}

const dataForm = /^a:([0-9a-f]{16}):(allow|always|deny)$/;

/** The decisions that a question leaves open. */
export function approvalButtons({ id, always }: ApprovalRequest): readonly ApprovalButton[] {
  const lasting = { label: "Always, in this conversation", data: `a:${id}:always` };
  return [
    { label: "Allow", data: `a:${id}:allow` },
    ...(always === undefined ? [] : [lasting]),
    { label: "Deny", data: `a:${id}:deny` },
  ];
}

/** The question after it was decided. */
export function settledText(request: ApprovalRequest, decision: "allow" | "deny"): string {
  return `${approvalText(request)}\n\n${decision === "allow" ? "✔ Allowed." : "✘ Denied."}`;
}

/** Who pressed, and where: as of a message that they had written there. */
export type Presser = Pick<InboundMessage, "channel" | "sender" | "conversation" | "trust">;

/** True if a button's data is a decision on a question. */
export function isApprovalData(data: string): boolean {
  return dataForm.test(data);
}

/** Hands a press to the host, which knows who may decide; gives the sentence for the presser. */
export function pressApproval(approvals: Approvals, data: string, presser: Presser): string {
  const [, id = "", decision = "deny"] = dataForm.exec(data) ?? [];
  const by = { user: userOf(presser), conversation: laneOf(presser), trust: presser.trust };
  switch (approvals.decide(id, decision, by)) {
    case "done":
      return decision === "deny" ? "Denied." : "Allowed.";
    case "decided":
      return "This was decided already.";
    case "forbidden":
      return "Only an owner may decide this, where it was asked.";
    case "unknown":
      return "This question is no longer open.";
  }
}
