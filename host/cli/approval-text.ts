import { styleText } from "node:util";
import type { ApprovalRequest } from "@gantry/sdk";
import { tint, type Tint } from "./theme.ts";

/**
 * More rows than this would scroll the beginning away, and with it what a person is asked about.
 */
const maxRows = 20;
const margin = "  | ";
const tints: Readonly<Record<string, Tint>> = { "+": "added", "-": "removed", "@": "place" };

/**
 * The question in a terminal: all that will run behind a margin, cut to what a screen holds unless
 * it is wanted whole.
 */
export function approvalText(request: ApprovalRequest, columns: number, whole: boolean): string {
  const diff = request.diff === undefined ? [] : request.diff.split("\n");
  const preview = request.preview.split("\n");
  const all = [...preview, ...diff];
  const shown = whole ? all : fitting(all, Math.max(columns - margin.length, 20));
  const isCut = shown.length < all.length || shown.at(-1) !== all[shown.length - 1];

  const notes = [
    ...request.warnings,
    ...request.reasons,
    ...(all.length > 1 || request.commands > 1 ? [sizeOf(request)] : []),
    ...(isCut ? ["v shows all of it."] : []),
    ...(request.always === undefined ? [] : [`t allows it for this conversation: ${request.always}.`]),
    "e says why not.",
  ];
  const left = isCut ? [`  … ${all.length - shown.length} more lines`] : [];
  const lines = shown.map((line, i) => margin + (i < preview.length ? line : diffLine(line)));
  return [...lines, ...left, ...notes.map((note) => `  ${note}`), ""].join("\n");
}

/** Colours a line of a unified diff, which stays readable without. */
function diffLine(line: string): string {
  const of = tints[line[0] ?? ""];
  const format = /^(?:\+\+\+|---) /.test(line) ? "bold" : of === undefined ? [] : tint(of);
  return styleText(format, line, { stream: process.stderr });
}

/** The first lines that fit on the screen, the last one cut if even it does not. */
function fitting(lines: readonly string[], columns: number): readonly string[] {
  const shown: string[] = [];
  let left = maxRows;
  for (const line of lines) {
    const rows = rowsOf(line, columns);
    if (rows.length > left) {
      const last = rows.slice(0, left).join("");
      if (left > 0) shown.push(`${[...last].slice(0, -1).join("")}…`);
      break;
    }
    left -= rows.length;
    shown.push(line);
  }
  return shown;
}

/**
 * A line as a screen breaks it, at most: a sign that may be wide, as Chinese and emoji are, counts
 * as two columns, a tab as eight.
 */
function rowsOf(line: string, columns: number): readonly string[] {
  const rows = [""];
  let taken = 0;
  for (const sign of line) {
    const width = sign === "\t" ? 8 : sign < "\u1100" ? 1 : 2;
    if (taken + width > columns) {
      rows.push("");
      taken = 0;
    }
    rows[rows.length - 1] += sign;
    taken += width;
  }
  return rows;
}

function sizeOf({ lines, commands }: ApprovalRequest): string {
  const counted = commands === 0 ? "" : `, ${commands} command${commands === 1 ? "" : "s"}`;
  return `${lines} line${lines === 1 ? "" : "s"}${counted}.`;
}

/** The words of a question that stand out, where the terminal shows forms. */
export function bold(text: string): string {
  return styleText("bold", text, { stream: process.stderr });
}
