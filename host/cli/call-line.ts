import type { ToolProgress } from "@gantry/sdk";
import { printable } from "@gantry/sdk/node";

const most = 160;

/**
 * A tool call as a person reads it, in one line: `shell npm test`, `file_read notes.md (offset
 * 20)`.
 */
export function callLine(tool: string, args: unknown, columns: number = most): string {
  const entries = Object.entries(Object(args) as Record<string, unknown>);
  const [first, ...rest] = entries.filter(([, value]) => value !== undefined);
  const told = [tool];
  // The first argument says what it is about: tools name it first in their schema.
  if (first) told.push(typeof first[1] === "string" ? first[1] : pair(first));
  if (rest.length > 0) told.push(`(${rest.map(pair).join(", ")})`);
  const line = printable(told.join(" ").replace(/\s*\n\s*/g, " ⏎ "), Number.POSITIVE_INFINITY);
  const bound = Math.max(20, Math.min(most, columns - 4));
  return line.length <= bound ? line : `${line.slice(0, bound - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

function pair([name, value]: readonly [string, unknown]): string {
  return `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`;
}

/** `3/10 pages`, or `30 %` of a large number. */
export function stepText({ done, total, text = "" }: ToolProgress): string {
  if (total === undefined || total === 0) return `${done} ${text}`.trimEnd();
  const part = total > 1_000 ? `${Math.floor((100 * done) / total)} %` : `${done}/${total}`;
  return `${part} ${text}`.trimEnd();
}
