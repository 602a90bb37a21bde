import { textParts, type CommandPrompt, type Part } from "@gantry/sdk";
import { isInside } from "@gantry/sdk/node";
import { namesOf, type SkillInstructions, type SkillShelf } from "./skill-shelf.ts";

/**
 * Returns what the model is told of a skill: its instructions, one of its files, or, without a
 * name, which there are.
 */
export async function textOfSkill(
  shelf: SkillShelf,
  name: string | undefined,
  file: string | undefined,
  cwd: string,
): Promise<string> {
  if (name === undefined) return (await linesOf(shelf, cwd, "")) ?? "There are no skills that may be used.";
  if (file !== undefined) return shelf.file(name, file, cwd);
  return instructionsText(await shelf.open(name, cwd), cwd);
}

/** Returns what a person says by `/skill NAME [task]`, or what they are told without a name. */
export async function beginningOf(
  shelf: SkillShelf,
  args: string,
  workspace: string,
): Promise<string | CommandPrompt> {
  const [, name, task = ""] = /^\s*\$?(\S+)\s*([^]*)$/.exec(args) ?? [];
  if (name === undefined)
    return (
      (await linesOf(shelf, workspace, "/")) ??
      "There are no accepted skills here: `gantry skills list` shows those that were found."
    );
  const opened = await shelf.open(name, workspace);
  const text = instructionsText(opened, workspace);
  const { material } = opened;
  const instructions: readonly Part[] =
    material === undefined ? textParts(text) : [{ type: "text", text, from: material }];
  return { prompt: [...instructions, ...textParts(task === "" ? `Do what the skill ${name} says.` : task)] };
}

async function linesOf(shelf: SkillShelf, workspace: string, sign: string): Promise<string | undefined> {
  const skills = await shelf.usable(workspace);
  if (skills.length === 0) return undefined;
  return skills.map(({ name, accepted }) => `${sign}${name}: ${accepted?.description ?? ""}`).join("\n");
}

/** Returns the instructions with what their reader must know of the files that they name. */
function instructionsText({ skill, body, entries }: SkillInstructions, cwd: string): string {
  const where = isInside(skill.folder, cwd)
    ? `Its folder is ${skill.folder}.`
    : `Its folder ${skill.folder} lies outside of the workspace, where no command reaches it: read its files by the tool skill, and write what a command needs into the workspace.`;
  return [`The skill ${skill.name}. ${where} Its files: ${namesOf(entries)}.`, body].join("\n\n");
}
