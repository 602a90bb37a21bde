import type { ApprovalRequest, QuestionEnd } from "./approval.ts";

/** A question is cut here and shown whole on demand; more would scroll what matters away. */
const maxLines = 30;
const maxLength = 2_500;
/** So much of what would run is shown in any case. */
const leastLength = 100;

/**
 * Returns a question in words; every line of what would run has a margin, so none passes for ours.
 */
export function approvalText(request: ApprovalRequest, whole: boolean = false): string {
  return textWith(request, whole ? undefined : maxLength);
}

/**
 * Returns the question for a platform that takes it as one message: as much is shown as `fits`, and
 * what is cut is said. The platform is given it escaped if a form could be read in it.
 */
export function approvalTextWithin(request: ApprovalRequest, fits: (text: string) => boolean): string {
  for (let room = maxLength; room > leastLength; room = Math.floor(room * 0.8)) {
    const text = textWith(request, room);
    if (fits(text)) return text;
  }
  const notes = notesOf(request);
  const more = `… cut here: "show ${request.id.slice(0, 6)}" shows all.`;
  for (;;) {
    notes.pop();
    const text = textWith(request, leastLength, [...notes, more]);
    if (fits(text) || notes.length === 0) return text;
  }
}

/** Returns the text that takes the place of a question once it was decided. */
export function settledText(request: ApprovalRequest, decision: "allow" | "deny"): string {
  return `${approvalText(request)}\n\n${decision === "allow" ? "✔ Allowed." : "✘ Denied."}`;
}

/** Returns one sentence about a question that is over, for `user`, who came too late. */
export function endedText({ decision, by, reason }: QuestionEnd, user: string): string {
  if (reason !== undefined) return `This question is no longer open: ${reason}`;
  const what = decision === "deny" ? "denied" : "allowed";
  // Behind the door stands who of `[people]` decided.
  const isOwn = by === user || by?.startsWith(`${user} (`);
  return `This was decided already: ${what} by ${isOwn ? "you" : by}.`;
}

function textWith(
  request: ApprovalRequest,
  room?: number,
  notes: readonly string[] = notesOf(request),
): string {
  const all = request.diff === undefined ? request.preview : `${request.preview}\n${request.diff}`;
  const lines = all.split("\n").map((line) => `| ${line}`);
  const shown = room === undefined ? lines : cut(lines, room);
  const isCut = shown.length < lines.length || shown.at(-1) !== lines[shown.length - 1];
  const hint = `… cut here: "show ${request.id.slice(0, 6)}" shows all ${lines.length} lines.`;
  return [
    `May ${request.tool} run this?${sizeOf(request)}`,
    ...(request.trust === undefined ? [] : [`Caused by ${request.user}, a ${request.trust}.`]),
    ...shown,
    ...(isCut ? [hint] : []),
    ...notes,
  ].join("\n");
}

function notesOf({ warnings, reasons }: ApprovalRequest): string[] {
  return [...warnings, ...reasons];
}

/** Returns whole lines as far as they fit; if not even the first does, its beginning. */
function cut(lines: readonly string[], most: number): readonly string[] {
  const kept: string[] = [];
  let room = most;
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

/** Returns `(66 lines, 12 commands)`; nothing for a single line with a single command. */
function sizeOf({ lines, commands }: ApprovalRequest): string {
  const parts = [...(lines > 1 ? [`${lines} lines`] : []), ...(commands > 1 ? [`${commands} commands`] : [])];
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}
