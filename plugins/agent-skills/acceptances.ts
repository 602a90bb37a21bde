import { listAll, type Store } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { readSkillFolder, type SkillFolder } from "./folder-bytes.ts";
import { folderStamp } from "./folder-stamp.ts";
import type { FoundSkill } from "./places.ts";

const space = "skills";
/** Apart from what each turn reads. */
const shownSpace = "skills-shown";

/** A state of a skill that the owner has said yes to. */
export interface Acceptance {
  /** {@link SkillFolder.hash} */
  readonly hash: string;
  /** As shown to the model: one line, without hidden characters. */
  readonly description: string;
  readonly allowedTools: string | undefined;
  /** Unix ms. */
  readonly at: number;
}

/** A skill that was found, and what was said to it. */
export interface KnownSkill extends FoundSkill {
  readonly accepted: Acceptance | undefined;
}

/** The skills that the owner has accepted, by the real paths of their folders, in the store. */
export class Acceptances {
  readonly #store: () => Store;
  /** The hash that a folder had when it had this stamp. */
  readonly #hashes = new Map<string, { readonly stamp: string; readonly hash: string }>();

  constructor(store: () => Store) {
    this.#store = store;
  }

  /** Returns each of them with what was said to it. */
  async known(found: readonly FoundSkill[]): Promise<readonly KnownSkill[]> {
    if (found.length === 0) return [];
    const all = new Map<string, Acceptance>(
      (await listAll<Acceptance>(this.#store().values, space)).map(({ key, value }) => [key, value]),
    );
    return found.map((skill) => ({ ...skill, accepted: all.get(skill.folder) }));
  }

  /** Keeps a yes, and the lines that it was said to. */
  async accept(skill: FoundSkill, acceptance: Acceptance, shown: string): Promise<void> {
    const { values } = this.#store();
    await values.put(shownSpace, skill.folder, shown);
    await values.put(space, skill.folder, acceptance);
  }

  /** Returns the lines that were shown when it was accepted; undefined if they are not kept. */
  async shown({ folder, accepted }: KnownSkill): Promise<string | undefined> {
    if (!accepted) return undefined;
    return this.#store().values.get<string>(shownSpace, folder);
  }

  /** Returns false if it was not accepted. */
  async takeBack(skill: FoundSkill): Promise<boolean> {
    const { values } = this.#store();
    await values.remove(shownSpace, skill.folder);
    return values.remove(space, skill.folder);
  }

  /**
   * True while the folder is what was accepted; a folder whose stamp has not changed is not read
   * again.
   */
  async holds({ folder, accepted }: KnownSkill): Promise<boolean> {
    if (!accepted) return false;
    const stamp = folderStamp(folder);
    const before = this.#hashes.get(folder);
    if (stamp === undefined) return false;
    if (before?.stamp === stamp) return before.hash === accepted.hash;
    const hash = await hashOf(folder);
    this.#hashes.set(folder, { stamp, hash });
    return hash === accepted.hash;
  }

  /** Reads the folder and gives it only if it is, with these very bytes, what was accepted. */
  async read(
    { name, folder, accepted }: KnownSkill,
    wanted: (path: string) => boolean,
  ): Promise<SkillFolder> {
    if (!accepted) throw errors.SKILL_NOT_ACCEPTED(name, name);
    const read = await readSkillFolder(folder, wanted);
    if (read.hash !== accepted.hash) throw errors.SKILL_CHANGED(name, name);
    return read;
  }
}

/** A folder that cannot be read has no hash that anybody accepted. */
async function hashOf(folder: string): Promise<string> {
  try {
    return (await readSkillFolder(folder, () => false)).hash;
  } catch {
    return "";
  }
}
