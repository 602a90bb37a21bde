import { counted, type RunResult, type TriedRun } from "@gantry/sdk";

/** What of it all is shown first; a chat and a screen show no more of a question than fits. */
const LIMITS = { outputLines: 8, lineLength: 200, changes: 12 };

/**
 * Says in a question what a command did. What the command chose itself stands behind a margin or on the line of its file, so
 * that none of it can pass for the rest.
 */
export function triedText(command: string, { result, changes, more }: TriedRun, end: string): string {
  const shown = changes.slice(0, LIMITS.changes);
  const left = changes.length - shown.length + more;
  const done = shown.map(({ path, change, bytes, why }) => {
    const about = why ?? (bytes === undefined ? undefined : counted(bytes, "byte"));
    return `  ${change}: ${JSON.stringify(path).slice(1, -1)}${about === undefined ? "" : ` (${about})`}`;
  });
  return [
    command,
    `Tried first, without network: ${end}. A yes makes it real, a no leaves nothing of it.`,
    ...outputOf(result),
    shown.length === 0 ? "It changed no file." : "It changed:",
    ...done,
    ...(left > 0 ? [`  … and ${left} more`] : []),
  ].join("\n");
}

function outputOf({ stdout, stderr, droppedBytes }: RunResult): readonly string[] {
  const lines = [stdout, stderr].flatMap((text) => (text.trim() === "" ? [] : text.trimEnd().split("\n")));
  if (lines.length === 0) return ["It said nothing."];
  const left = lines.length - LIMITS.outputLines;
  const more = left > 0 || droppedBytes > 0;
  const cut = lines
    .slice(0, LIMITS.outputLines)
    .map((line) =>
      line.length > LIMITS.lineLength ? `${line.slice(0, LIMITS.lineLength).toWellFormed()}…` : line,
    );
  return ["It said:", ...cut.map((line) => `  > ${line}`), ...(more ? ["  … and more"] : [])];
}
