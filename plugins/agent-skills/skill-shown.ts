import { counted } from "@gantry/sdk";
import { printable } from "@gantry/sdk/node";
import type { FoundSkill } from "./places.ts";
import type { ReadSkill } from "./skill-read.ts";
import type { SkillEntry } from "./folder-bytes.ts";

const maxShownFiles = 200;

/** Returns all lines of a skill for whoever decides on it: nothing hidden in it stays hidden. */
export function linesOf({ name, folder }: FoundSkill, read: ReadSkill): readonly string[] {
  const { description, allowedTools, findings, entries, text } = read;
  const tools =
    allowedTools === undefined
      ? []
      : [`allowed-tools: ${printable(allowedTools)} (it lifts no question here)`];
  return [
    `${name}: ${oneLine(description)}`,
    `folder: ${printable(folder)}`,
    ...tools,
    ...findings.map((finding) => `not by the standard: ${printable(finding)}`),
    `files: ${counted(entries.length, "entry", "entries")}`,
    ...entries.slice(0, maxShownFiles).map(entryLine),
    ...(entries.length > maxShownFiles ? [`  and ${entries.length - maxShownFiles} more`] : []),
    "",
    ...printable(text, Infinity)
      .split("\n")
      .map((line) => `  | ${line}`),
    "",
  ];
}

function entryLine({ path, kind, mode, size, target, digest = "" }: SkillEntry): string {
  if (kind === "link") return `  ${printable(path)} -> ${printable(target ?? "")}`;
  if (kind === "folder") return `  ${printable(path)}/`;
  const runs = (mode & 0o111) === 0 ? "" : ", can be executed";
  return `  ${printable(path)}  ${size} bytes${runs}  sha256 ${digest.slice(0, 16)}`;
}

/** Returns a text as one line without hidden characters. */
export function oneLine(text: string): string {
  return printable(text.replaceAll(/\s+/g, " ").trim(), 1_100);
}
