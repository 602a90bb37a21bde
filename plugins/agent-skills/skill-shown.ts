import { createHash } from "node:crypto";
import { counted } from "@gantry/sdk";
import { printable } from "@gantry/sdk/node";
import type { FoundSkill } from "./places.ts";
import type { ReadSkill } from "./skill-read.ts";
import type { SkillEntry } from "./folder-bytes.ts";
import { maxFileBytes, skillFileOf, utf8Of } from "./skill-text.ts";

/** Characters of the list of files, and of the words of those beside SKILL.md. */
const maxShown = 256 * 1024;
/** Names that cannot be taken for the rest of their line. */
const plainPath = /^[\p{L}\p{N}._/@+-]+$/u;

/**
 * Returns all lines of a skill for whoever decides on it: nothing hidden in it stays hidden. The
 * lines hold everything that goes into its hash, so that no two states of a folder have the same.
 */
export function linesOf({ name, folder }: FoundSkill, read: ReadSkill): readonly string[] {
  const { description, allowedTools, findings, entries, text, mode } = read;
  const tools =
    allowedTools === undefined
      ? []
      : [`allowed-tools: ${printable(allowedTools)} (it lifts no question here)`];
  return [
    `${name}: ${oneLine(description)}`,
    `folder: ${printable(folder)}${modeOf(mode)}`,
    ...tools,
    ...findings.map((finding) => `not by the standard: ${printable(finding)}`),
    `files: ${counted(entries.length, "entry", "entries")}`,
    ...entryLines(entries),
    "",
    ...wordsOf(text),
    "",
    ...fileLines(read),
  ];
}

/** Sums up by one hash those that are too many to be listed. */
function entryLines(entries: readonly SkillEntry[]): readonly string[] {
  const lines: string[] = [];
  let left = maxShown;
  for (const entry of entries) {
    const line = entryLine(entry);
    left -= line.length;
    if (left < 0) break;
    lines.push(line);
  }
  const rest = entries.slice(lines.length);
  if (rest.length === 0) return lines;
  const hash = createHash("sha256").update(JSON.stringify(rest)).digest("hex");
  return [...lines, `  and ${rest.length} more, which are not shown  sha256 ${hash}`];
}

function entryLine({ path, kind, mode, size, target = "", digest = "" }: SkillEntry): string {
  if (kind === "link") return `  ${pathOf(path)} -> ${pathOf(target)}`;
  if (kind === "folder") return `  ${pathOf(path)}/${modeOf(mode)}`;
  const runs = (mode & 0o111) === 0 ? "" : ", can be executed";
  return `  ${pathOf(path)}  ${size} bytes${runs}${modeOf(mode)}  sha256 ${digest}`;
}

/** Returns the words of the files beside SKILL.md, all of which the model can be given. */
function fileLines({ entries, kept }: ReadSkill): readonly string[] {
  const shown = skillFileOf(kept);
  let left = maxShown;
  return entries.flatMap(({ path, size }) => {
    const bytes = kept.get(path);
    const text = !bytes || bytes === shown || size > maxFileBytes ? undefined : utf8Of(bytes);
    if (text === undefined) return [];
    const lines = wordsOf(text);
    const length = lines.reduce((sum, line) => sum + line.length, 0);
    if (length > left) return [`${pathOf(path)}: too long to be shown here, read it yourself`, ""];
    left -= length;
    return [`${pathOf(path)}:`, ...lines, ""];
  });
}

function wordsOf(text: string): readonly string[] {
  return printable(text, Infinity)
    .split("\n")
    .map((line) => `  | ${line}`);
}

function modeOf(mode: number): string {
  const notes = [
    ...((mode & 0o4000) === 0 ? [] : [", setuid"]),
    ...((mode & 0o2000) === 0 ? [] : [", setgid"]),
    ...((mode & 0o002) === 0 ? [] : [", anyone can write it"]),
  ];
  return `, mode ${mode.toString(8).padStart(4, "0")}${notes.join("")}`;
}

/** Returns a name as only this name is written: no two names look the same. */
function pathOf(path: string): string {
  const isPlain = plainPath.test(path) && printable(path, Infinity) === path;
  return isPlain ? path : printable(JSON.stringify(path), Infinity);
}

/** Returns a text as one line without hidden characters. */
export function oneLine(text: string): string {
  return printable(text.replaceAll(/\s+/g, " ").trim(), 1_100);
}
