import type { ApprovalRequest } from "./approval.ts";

/** A question is cut here and shown whole on demand; more would scroll what matters away. */
const maxLines = 30;
const maxLength = 2_500;

/** A question in words; every line of what would run has a margin, so that none can pass for ours. */
export function approvalText(request: ApprovalRequest, whole: boolean = false): string {
  const all = request.diff === undefined ? request.preview : `${request.preview}\n${request.diff}`;
  const lines = all.split("\n").map((line) => `| ${line}`);
  const shown = whole ? lines : cut(lines);
  const isCut = shown.length < lines.length || shown.at(-1) !== lines[shown.length - 1];
  const hint = `… cut here: "show ${request.id.slice(0, 6)}" shows all ${lines.length} lines.`;
  return [
    `May ${request.tool} run this?${sizeOf(request)}`,
    ...shown,
    ...(isCut ? [hint] : []),
    ...request.warnings,
    ...request.reasons,
  ].join("\n");
}

/** Whole lines as far as they fit, the last one cut where even one does not. */
function cut(lines: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let room = maxLength;
  for (const line of lines.slice(0, maxLines)) {
    if (line.length > room) {
      if (kept.length === 0) kept.push(`${line.slice(0, room)}…`);
      break;
    }
    room -= line.length;
    kept.push(line);
  }
  return kept;
}

/** `(66 lines, 12 commands)`; nothing for a single line with a single command. */
function sizeOf({ lines, commands }: ApprovalRequest): string {
  const parts = [...(lines > 1 ? [`${lines} lines`] : []), ...(commands > 1 ? [`${commands} commands`] : [])];
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}
