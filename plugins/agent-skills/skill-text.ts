/** Bytes of one file that the model is given and its owner is shown. */
export const maxFileBytes: number = 256 * 1024;

/** SKILL.md as its two parts. */
export interface SkillText {
  /** YAML, as written. */
  readonly head: string;
  /** The instructions, without blank lines around them. */
  readonly body: string;
}

/**
 * Splits SKILL.md at the two lines of dashes, as the reference reader of the standard does; a
 * string says what is wrong.
 */
export function splitSkill(text: string): SkillText | string {
  if (!text.startsWith("---")) return "SKILL.md must begin with a line of three dashes";
  const end = text.indexOf("---", 3);
  if (end < 0) return "the head of SKILL.md is not closed by a line of three dashes";
  return { head: text.slice(3, end), body: text.slice(end + 3).trim() };
}

/** The names that SKILL.md may have, the preferred one first. */
const skillFileNames = ["SKILL.md", "skill.md"] as const;

/** True for the path of SKILL.md within a skill. */
export function isSkillFile(path: string): boolean {
  return (skillFileNames as readonly string[]).includes(path);
}

/** Returns the bytes of SKILL.md among those that were read. */
export function skillFileOf(files: ReadonlyMap<string, Buffer>): Buffer | undefined {
  return skillFileNames.map((name) => files.get(name)).find((bytes) => bytes !== undefined);
}

/** Returns bytes as text; undefined if they are not UTF-8. */
export function utf8Of(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
