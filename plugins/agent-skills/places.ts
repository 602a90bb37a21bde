import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { isInside, printable } from "@gantry/sdk/node";

/** The form of names that people and models write; the standard allows less. */
const nameForm = /^[\p{L}\p{N}][\p{L}\p{N}_-]{0,63}$/u;

/** The most skills of one place; each of them is looked at in every turn. */
const maxSkills = 300;

/** A skill, and the place where it was found. */
export interface FoundSkill {
  /** The name of its folder. */
  readonly name: string;
  /** The real path of its folder. */
  readonly folder: string;
  /**
   * The real path of the workspace that it lies in; undefined for one of the owner's own two
   * places.
   */
  readonly workspace: string | undefined;
}

/** Each turn looks several times; a skill that is new is seen this much later. */
const lookAgainMs = 1_000;

export type FindSkills = (workspace: string) => readonly FoundSkill[];

/** Makes what finds the skills that a workspace sees, and looks once a second at most. */
export function skillFinder(configDir: string): FindSkills {
  let last:
    | { readonly workspace: string; readonly at: number; readonly found: readonly FoundSkill[] }
    | undefined;
  return (workspace) => {
    const now = performance.now();
    if (last?.workspace !== workspace || now - last.at >= lookAgainMs)
      last = { workspace, at: now, found: findSkills(configDir, homedir(), workspace) };
    return last.found;
  };
}

/**
 * Returns the skills that a workspace sees, the nearest first; of the same name the first one
 * counts.
 */
function findSkills(configDir: string, home: string, workspace: string): readonly FoundSkill[] {
  return [
    ...skillsIn(path.join(workspace, ".agents", "skills"), workspace),
    ...skillsIn(path.join(configDir, "skills"), undefined),
    ...skillsIn(path.join(home, ".agents", "skills"), undefined),
  ];
}

/** Folders only: what is a link itself could lead elsewhere tomorrow. */
function skillsIn(place: string, workspace: string | undefined): readonly FoundSkill[] {
  const real = realPlace(place);
  if (real === undefined || (workspace !== undefined && !isInside(real, workspace))) return [];
  return namesIn(real)
    .map((name) => ({ name, folder: path.join(real, name), workspace }))
    .filter(({ name, folder }) => isName(name) && isFolder(folder))
    .slice(0, maxSkills);
}

function realPlace(place: string): string | undefined {
  // Most workspaces have none, and an error costs more than this question.
  if (!statSync(place, { throwIfNoEntry: false })) return undefined;
  try {
    return realpathSync.native(place);
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}

/** Some letters are shown as nothing. */
function isName(name: string): boolean {
  return nameForm.test(name) && printable(name) === name;
}

function isFolder(at: string): boolean {
  return lstatSync(at, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
