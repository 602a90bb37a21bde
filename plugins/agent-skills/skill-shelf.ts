import type { OwnedFolders } from "../shared/owned-folders.ts";
import type { Acceptances, KnownSkill } from "./acceptances.ts";
import { errors } from "./errors.ts";
import type { SkillEntry } from "./folder-bytes.ts";
import type { FindSkills, FoundSkill } from "./places.ts";
import { isSkillFile, maxFileBytes, skillFileOf, splitSkill, utf8Of } from "./skill-text.ts";

/** A skill's instructions as they may be used. */
export interface SkillInstructions {
  readonly skill: KnownSkill;
  readonly body: string;
  readonly entries: readonly SkillEntry[];
  /** The source of its text, if it is not the owner's own. */
  readonly material: string | undefined;
}

/**
 * The skills of a workspace that may be used: those that are, byte for byte, what the owner
 * accepted.
 */
export class SkillShelf {
  readonly #find: FindSkills;
  readonly #acceptances: Acceptances;
  readonly #owned: OwnedFolders;

  constructor(find: FindSkills, acceptances: Acceptances, owned: OwnedFolders) {
    this.#find = find;
    this.#acceptances = acceptances;
    this.#owned = owned;
  }

  /** Returns all that were found, accepted or not. */
  all(workspace: string): Promise<readonly KnownSkill[]> {
    return this.#acceptances.known(this.#find(workspace));
  }

  /** Returns true if one was accepted, though it may have changed since. */
  async hasAccepted(workspace: string): Promise<boolean> {
    return (await this.all(workspace)).some(({ accepted }) => accepted !== undefined);
  }

  /** Returns those that may be used, one of each name, in the order of their names. */
  async usable(workspace: string): Promise<readonly KnownSkill[]> {
    const usable = new Map<string, KnownSkill>();
    for (const skill of await this.all(workspace))
      if (!usable.has(skill.name) && (await this.#acceptances.holds(skill))) usable.set(skill.name, skill);
    return [...usable.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Reads the instructions. Throws SKILL_UNKNOWN, SKILL_NOT_ACCEPTED or SKILL_CHANGED. */
  async open(name: string, workspace: string): Promise<SkillInstructions> {
    const skill = await this.#named(name, workspace);
    const { entries, kept } = await this.#acceptances.read(skill, isSkillFile);
    const parts = splitSkill(utf8Of(skillFileOf(kept) ?? Buffer.of()) ?? "");
    if (typeof parts === "string") throw errors.SKILL_UNREADABLE(skill.folder, parts);
    return { skill, body: parts.body, entries, material: await this.materialOf(skill) };
  }

  /**
   * Reads one of its files as text. Throws as `open` does, and for a file that is not there, too
   * long or not text.
   */
  async file(name: string, file: string, workspace: string): Promise<string> {
    const skill = await this.#named(name, workspace);
    const { entries, kept } = await this.#acceptances.read(skill, (path) => path === file);
    const bytes = kept.get(file);
    if (!bytes) throw errors.SKILL_NO_FILE(name, file, namesOf(entries));
    if (bytes.length > maxFileBytes) throw errors.SKILL_FILE_TOO_LONG(file, name, bytes.length, maxFileBytes);
    const text = utf8Of(bytes);
    if (text === undefined) throw errors.SKILL_FILE_NOT_TEXT(file, name);
    return text;
  }

  /**
   * Names where a skill's text comes from unless it is the owner's own; undefined also for one that
   * is not there.
   */
  async material(name: string, workspace: string): Promise<string | undefined> {
    const skill = (await this.all(workspace)).find((one) => one.name === name && one.accepted);
    return skill && (await this.materialOf(skill));
  }

  async materialOf({ name, workspace }: FoundSkill): Promise<string | undefined> {
    if (workspace === undefined || (await this.#owned.isTrusted(workspace))) return undefined;
    return `skill ${name} of ${workspace}`;
  }

  async #named(name: string, workspace: string): Promise<KnownSkill> {
    const named = (await this.all(workspace)).filter((skill) => skill.name === name);
    const [first] = named;
    if (!first) throw errors.SKILL_UNKNOWN(name);
    for (const skill of named) if (await this.#acceptances.holds(skill)) return skill;
    return named.find(({ accepted }) => accepted !== undefined) ?? first;
  }
}

/** Returns the files of a skill as a list to be read. */
export function namesOf(entries: readonly SkillEntry[]): string {
  const files = entries.filter(({ kind }) => kind !== "folder").map(({ path }) => path);
  const shown = files.slice(0, 100).join(", ");
  return files.length > 100 ? `${shown} and ${files.length - 100} more` : shown;
}
