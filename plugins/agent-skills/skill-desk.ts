import { realpathSync } from "node:fs";
import path from "node:path";
import type { Audit } from "@gantry/sdk";
import type { Acceptances, KnownSkill } from "./acceptances.ts";
import { errors } from "./errors.ts";
import { readSkill, type ReadSkill } from "./skill-read.ts";
import type { SkillShelf } from "./skill-shelf.ts";
import { linesOf, oneLine } from "./skill-shown.ts";

/** What those work with who decide on skills. */
export interface SkillDesk {
  readonly shelf: SkillShelf;
  readonly acceptances: Acceptances;
  readonly workspace: string;
  readonly audit: Audit;
}

export type State = "accepted" | "changed" | "not accepted";

/** A skill of a list, for people. */
export interface SkillRow {
  readonly name: string;
  readonly state: State;
  readonly folder: string;
  readonly description: string;
}

/** Returns the skills that were found, the nearest first. */
export async function skillRows(desk: SkillDesk): Promise<readonly SkillRow[]> {
  const all = await desk.shelf.all(desk.workspace);
  return Promise.all(
    all.map(async (skill) => ({
      name: skill.name,
      state: await stateOf(desk, skill),
      folder: skill.folder,
      description: skill.accepted?.description ?? (await descriptionOf(skill)),
    })),
  );
}

/** Keeps the yes of `user` to what was read, and records it. */
export async function acceptRead(
  desk: SkillDesk,
  skill: KnownSkill,
  read: ReadSkill,
  user: string,
): Promise<void> {
  const { hash, description, allowedTools } = read;
  await record(desk, skill, hash, "skill is accepted", user);
  const acceptance = { hash, description: oneLine(description), allowedTools, at: Date.now() };
  await desk.acceptances.accept(skill, acceptance, linesOf(skill, read).join("\n"));
}

/** Takes an acceptance back for `user`, and records it; the files stay. Throws SKILL_NOT_ACCEPTED. */
export async function takeBack(desk: SkillDesk, skill: KnownSkill, user: string): Promise<void> {
  if (!skill.accepted) throw errors.SKILL_NOT_ACCEPTED(skill.name, skill.name);
  await record(desk, skill, skill.accepted.hash, "skill is accepted no more", user);
  await desk.acceptances.takeBack(skill);
}

/** Returns the first skill with a name, or the one in a folder. Throws SKILL_UNKNOWN. */
export async function findSkill({ shelf, workspace }: SkillDesk, written: string): Promise<KnownSkill> {
  const all = await shelf.all(workspace);
  const folder = written.includes(path.sep) ? realFolder(written) : undefined;
  const found = all.find((skill) =>
    folder === undefined ? skill.name === written : skill.folder === folder,
  );
  if (!found) throw errors.SKILL_UNKNOWN(written);
  return found;
}

export function realFolder(written: string): string | undefined {
  try {
    return realpathSync.native(path.resolve(written));
  } catch {
    return undefined;
  }
}

export async function stateOf({ acceptances }: SkillDesk, skill: KnownSkill): Promise<State> {
  if (!skill.accepted) return "not accepted";
  return (await acceptances.holds(skill)) ? "accepted" : "changed";
}

async function descriptionOf({ folder, name }: KnownSkill): Promise<string> {
  try {
    return oneLine((await readSkill(folder, name)).description);
  } catch (error) {
    return oneLine((error as Error).message);
  }
}

function record(
  { audit }: SkillDesk,
  { name, folder }: KnownSkill,
  hash: string,
  result: string,
  user: string,
): Promise<void> {
  const args = { skill: name, folder, hash };
  return audit.record({ event_type: "config_change", tool: "", args, result, user, session_id: "" });
}
