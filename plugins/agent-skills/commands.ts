import path from "node:path";
import type { CommandContext } from "@gantry/sdk";
import { printable, userOfTerminal } from "@gantry/sdk/node";
import { askPerson } from "../shared/ask-person.ts";
import { errors } from "./errors.ts";
import {
  acceptRead,
  findSkill,
  realFolder,
  skillRows,
  stateOf,
  takeBack,
  type SkillDesk,
} from "./skill-desk.ts";
import { readSkill } from "./skill-read.ts";
import { linesOf } from "./skill-shown.ts";

export async function listSkills(desk: SkillDesk, { options, out, err }: CommandContext): Promise<number> {
  const rows = await skillRows(desk);
  if (options["json"]) out(JSON.stringify(rows));
  else if (rows.length === 0)
    err(
      "There are no skills: a skill is a folder with SKILL.md in .agents/skills of the workspace, skills of the configuration's folder, or ~/.agents/skills.",
    );
  else
    for (const { name, state, folder, description } of rows)
      out(`${name}  ${state}  ${printable(folder)}\n    ${description}`);
  return 0;
}

export async function showSkill(desk: SkillDesk, { args, options, out }: CommandContext): Promise<number> {
  const skill = await findSkill(desk, args[0] ?? "");
  const read = await readSkill(skill.folder, skill.name, () => true);
  const state = await stateOf(desk, skill);
  if (options["json"]) {
    const { head, findings, entries, text, hash } = read;
    out(
      JSON.stringify({
        name: skill.name,
        folder: skill.folder,
        state,
        hash,
        head,
        findings,
        files: entries,
        text,
      }),
    );
  } else for (const line of [...linesOf(skill, read), `state: ${state}`]) out(line);
  return 0;
}

/**
 * Says what the standard finds wrong in a skill, of any folder; exits with 1 if it finds something.
 */
export async function checkSkill({ shelf, workspace }: SkillDesk, run: CommandContext): Promise<number> {
  const written = run.args[0] ?? "";
  const named = (await shelf.all(workspace)).find(({ name }) => name === written);
  const folder = named?.folder ?? realFolder(written);
  if (folder === undefined) throw errors.SKILL_UNKNOWN(written);
  const { findings } = await readSkill(folder, path.basename(folder));
  if (run.options["json"]) run.out(JSON.stringify({ folder, valid: findings.length === 0, findings }));
  else if (findings.length === 0) run.out(`${printable(folder)} is a valid skill.`);
  else for (const finding of findings) run.out(printable(finding));
  return findings.length === 0 ? 0 : 1;
}

export async function acceptSkill(desk: SkillDesk, run: CommandContext): Promise<number> {
  const skill = await findSkill(desk, run.args[0] ?? "");
  const read = await readSkill(skill.folder, skill.name, () => true);
  for (const line of linesOf(skill, read)) run.err(line);
  const isKnown = skill.accepted?.hash === read.hash;
  if (!isKnown && !(await askPerson(run, `May the model use ${skill.name}?`)))
    throw errors.SKILL_UNDECIDED(skill.name);
  await acceptRead(desk, skill, read, userOfTerminal());
  run.out(`${skill.name} is accepted, as long as nothing in ${printable(skill.folder)} changes.`);
  return 0;
}

/** Takes an acceptance back; the files stay. */
export async function removeSkill(desk: SkillDesk, run: CommandContext): Promise<number> {
  const skill = await findSkill(desk, run.args[0] ?? "");
  await takeBack(desk, skill, userOfTerminal());
  run.out(`${skill.name} is accepted no more; its files stay in ${printable(skill.folder)}.`);
  return 0;
}
