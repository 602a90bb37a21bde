import { laneOf, userOf, type ApprovalRequest, type Approvals, type InboundMessage } from "../channel.ts";

/** A button: what stands on it, and what the platform hands back when it is pressed (at most 64 bytes). */
export interface ApprovalButton {
  readonly label: string;
  readonly data: string;
}

/** A platform's bound is rarely below this; the rest can be seen by asking for it in words. */
const maxPreview = 2_500;
const dataForm = /^a:([0-9a-f]{16}):(allow|deny)$/;

/** The question in words; every line of what would run has a margin, so that none can pass for ours. */
export function approvalText(request: ApprovalRequest): string {
  const lines = request.preview.slice(0, maxPreview).split("\n");
  const isCut = request.preview.length > maxPreview;
  return [
    `May ${request.tool} run this?`,
    ...lines.map((line) => `| ${line}`),
    ...(isCut ? ["… cut here: it is longer."] : []),
    ...request.reasons,
  ].join("\n");
}

export function approvalButtons({ id }: ApprovalRequest): readonly ApprovalButton[] {
  return [
    { label: "Allow", data: `a:${id}:allow` },
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
      return decision === "allow" ? "Allowed." : "Denied.";
    case "decided":
      return "This was decided already.";
    case "forbidden":
      return "Only an owner may decide this, where it was asked.";
    default:
      return "This question is no longer open.";
  }
}
