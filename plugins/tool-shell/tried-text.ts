import { counted, type Preview, type RunResult, type TriedRun } from "@gantry/sdk";
import type { RunChange } from "@gantry/sdk/fill";
import { shownName } from "@gantry/sdk/node";

/** A chat and a screen show the beginning of a question, which holds the command as well. */
const LIMITS = { outputLines: 8, lineLength: 200, changes: 8, changeLength: 120 };
const KINDS: readonly RunChange["change"][] = ["changed", "removed", "added", "left out"];

/** Takes out of a text what nobody may be shown. */
type Clean = (text: string) => Promise<string>;

/**
 * Shows a person what a command did. The result stands before the command, and each line of the
 * command, of its output and of its changes has a sign of its own, so that none of them can pass
 * for the rest. Texts are cleaned before they are cut.
 */
export async function triedPreview(
  command: string,
  tried: TriedRun,
  end: string,
  clean: Clean,
): Promise<Preview> {
  const { changes, diff } = tried;
  const named = changes.filter(({ change }) => change !== "left out");
  const lines = await linesOf(named, clean);
  const first = lines.slice(0, LIMITS.changes).map((line) => cut(line, LIMITS.changeLength));
  const all = first.join("\n") === lines.join("\n") ? [] : ["All of its changes:", ...lines];
  const text = [
    `Tried first, without network: ${end}. A yes makes it real, a no leaves nothing of it.`,
    countsOf(tried),
    ...first,
    ...(all.length > 0 ? ["  … all of them stand below the command"] : []),
    ...leftOut(changes),
    ...(await outputOf(tried.result, clean)),
    "The command:",
    ...command.split("\n").map((line) => `  $ ${line}`),
    ...all,
  ].join("\n");
  return { text, ...(diff !== "" && { diff: await cleanDiff(diff, clean) }) };
}

/** Says how many changes of each kind there are, even of those that are not named. */
function countsOf({ changes, more }: TriedRun): string {
  const counts = KINDS.flatMap((kind) => {
    const count = changes.filter(({ change }) => change === kind).length + (more[kind] ?? 0);
    return count > 0 ? [`${count} ${kind}`] : [];
  });
  return counts.length === 0 ? "It changed no file." : `Its changes: ${counts.join(", ")}.`;
}

async function linesOf(changes: readonly RunChange[], clean: Clean): Promise<readonly string[]> {
  if (changes.length === 0) return [];
  const lines = changes.map(({ path, change, bytes, why }) => {
    const size = bytes === undefined ? [] : [counted(bytes, "byte")];
    const about = [...size, ...(why === undefined ? [] : [why])].join("; ");
    return `  ${change}: ${shownName(path)}${about === "" ? "" : ` (${about})`}`;
  });
  return (await clean(lines.join("\n"))).split("\n");
}

/** Counts by its reason what stays out of the workspace. */
function leftOut(changes: readonly RunChange[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { change, why = "" } of changes)
    if (change === "left out") counts.set(why, (counts.get(why) ?? 0) + 1);
  return [...counts].map(([why, count]) => `  left out: ${count} (${why})`);
}

async function outputOf(result: RunResult, clean: Clean): Promise<readonly string[]> {
  const texts = [await clean(result.stdout), await clean(result.stderr)];
  const lines = texts.flatMap((text) => (text.trim() === "" ? [] : text.trimEnd().split("\n")));
  if (lines.length === 0) return ["It said nothing."];
  const shown = lines.slice(0, LIMITS.outputLines).map((line) => `  > ${cut(line, LIMITS.lineLength)}`);
  const isCut = lines.length > shown.length || result.droppedBytes > 0;
  return ["It said:", ...shown, ...(isCut ? ["  … and more"] : [])];
}

/**
 * Cleans lines that stand together without the signs before them, as a secret may have several
 * lines.
 */
async function cleanDiff(diff: string, clean: Clean): Promise<string> {
  const blocks: { readonly sign: string; readonly lines: string[] }[] = [];
  for (const line of diff.split("\n")) {
    const sign = line.slice(0, 1);
    if (blocks.at(-1)?.sign !== sign) blocks.push({ sign, lines: [] });
    blocks.at(-1)?.lines.push(line.slice(1));
  }
  const cleaned = blocks.map(async ({ sign, lines }) =>
    (await clean(lines.join("\n"))).split("\n").map((line) => sign + line),
  );
  return (await Promise.all(cleaned)).flat().join("\n");
}

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text;
