import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import path from "node:path";
import type { ToolCallContent } from "@agentclientprotocol/sdk";

/** The most bytes of one file; a larger one is not compared. */
const mostBytes = 512 * 1024;
const mostFiles = 4;

/** The texts of files by their paths; null for one that is not there. */
export type Texts = ReadonlyMap<string, string | null>;

type Diff = Extract<ToolCallContent, { type: "diff" }>;

/** Returns what stands in files, but for what is too large, no text, or no plain file. */
export function textsOf(files: readonly string[]): Texts {
  const texts = new Map<string, string | null>();
  for (const file of files.slice(0, mostFiles)) {
    const text = textOf(file);
    if (text !== undefined) texts.set(file, text);
  }
  return texts;
}

function textOf(file: string): string | null | undefined {
  let opened: number | undefined;
  try {
    // Neither a link that was put there since the path was resolved nor a pipe is opened.
    opened = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { size } = fstatSync(opened);
    if (!fstatSync(opened).isFile() || size > mostBytes) return undefined;
    const bytes = readFileSync(opened);
    return bytes.includes(0) ? undefined : bytes.toString();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? null : undefined;
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

/** Returns what has become of files whose texts were kept. */
export function changesSince(before: Texts): readonly Diff[] {
  const after = textsOf([...before.keys()]);
  return [...before].flatMap(([file, oldText]) => {
    const newText = after.get(file);
    if (typeof newText !== "string" || newText === oldText) return [];
    return [{ type: "diff" as const, path: file, oldText, newText }];
  });
}

/**
 * Reads a unified diff, as questions hold it: a change for each of its pieces, with the lines
 * around it.
 */
export function changesIn(diff: string, folder: string): readonly Diff[] {
  const changes: Diff[] = [];
  let file: string | undefined;
  let sides: { old: string[]; new: string[] } | undefined;
  const end = (): void => {
    if (sides && file !== undefined)
      changes.push({
        type: "diff",
        path: file,
        oldText: sides.old.join("\n"),
        newText: sides.new.join("\n"),
      });
    sides = undefined;
  };
  for (const line of diff.split("\n")) {
    if (!sides && line.startsWith("+++ ")) file = path.resolve(folder, line.slice(4).split("\t", 1)[0] ?? "");
    else if (line.startsWith("@@ ")) {
      end();
      sides = { old: [], new: [] };
    } else if (sides) {
      const [sign, text] = [line[0] ?? " ", line.slice(1)];
      if (sign === " " || sign === "-") sides.old.push(text);
      if (sign === " " || sign === "+") sides.new.push(text);
    }
  }
  end();
  return changes;
}
