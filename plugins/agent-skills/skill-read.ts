import { errors } from "./errors.ts";
import { readSkillFolder, type SkillFolder } from "./folder-bytes.ts";
import { readHead, type SkillHead } from "./skill-head.ts";
import { isSkillFile, maxFileBytes, skillFileOf, splitSkill, utf8Of } from "./skill-text.ts";
import { verdictOn } from "./verdict.ts";

/** Many times what the standard's keys may hold. */
const maxHead = 16_384;

/** A skill as somebody who decides on it reads it. */
export interface ReadSkill extends SkillFolder {
  /** SKILL.md as written. */
  readonly text: string;
  readonly head: SkillHead;
  readonly name: string;
  readonly description: string;
  /** As written; it lifts nothing here. */
  readonly allowedTools: string | undefined;
  /** Faults by the standard that leave the skill usable. */
  readonly findings: readonly string[];
}

/**
 * Reads a skill whole. Throws SKILL_UNREADABLE for one without SKILL.md, head, name or description,
 * and for a SKILL.md that is longer than a file of a skill that is shown.
 * @param wanted - tells the files whose bytes are kept, besides SKILL.md
 */
export async function readSkill(
  folder: string,
  folderName: string,
  wanted: (path: string) => boolean = () => false,
): Promise<ReadSkill> {
  const read = await readSkillFolder(folder, (path) => isSkillFile(path) || wanted(path));
  const bytes = skillFileOf(read.kept);
  if (bytes && bytes.length > maxFileBytes)
    throw errors.SKILL_UNREADABLE(folder, `its SKILL.md has more than ${maxFileBytes} bytes`);
  const text = bytes && utf8Of(bytes);
  if (text === undefined) throw errors.SKILL_UNREADABLE(folder, "it has no SKILL.md in UTF-8");
  const parts = splitSkill(text);
  if (typeof parts === "string") throw errors.SKILL_UNREADABLE(folder, parts);
  if (parts.head.length > maxHead)
    throw errors.SKILL_UNREADABLE(folder, `its head has more than ${maxHead} characters`);
  const head = readHead(parts.head);
  if (typeof head === "string") throw errors.SKILL_UNREADABLE(folder, head);
  const findings = verdictOn(head, folderName);
  const { name, description } = head;
  if (!isText(name) || !isText(description))
    throw errors.SKILL_UNREADABLE(folder, findings.join(" ").replace(/\.$/, ""));
  const tools = [head["allowed-tools"] ?? []].flat();
  const allowedTools = tools.length === 0 ? undefined : tools.filter(isText).join(" ");
  return {
    ...read,
    text,
    head,
    name: name.trim(),
    description: description.trim(),
    allowedTools,
    findings,
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
