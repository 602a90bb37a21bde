import { realpathSync } from "node:fs";
import path from "node:path";
import type { Audit, CommandContext } from "@gantry/sdk";
import { printable, userOfTerminal } from "@gantry/sdk/node";
import { askPerson } from "../shared/ask-person.ts";
import type { Acceptances, KnownSkill } from "./acceptances.ts";
import { errors } from "./errors.ts";
import { readSkill } from "./skill-read.ts";
import type { SkillShelf } from "./skill-shelf.ts";
import { linesOf, oneLine } from "./skill-shown.ts";

/** What the words of `gantry skills` work with. */
export interface SkillWords {
  readonly shelf: SkillShelf;
  readonly acceptances: Acceptances;
  readonly workspace: string;
  readonly audit: Audit;
}

type State = "accepted" | "changed" | "not accepted";

export async function listSkills(words: SkillWords, { options, out, err }: CommandContext): Promise<number> {
  const all = await words.shelf.all(words.workspace);
  const rows = await Promise.all(
    all.map(async (skill) => ({
      name: skill.name,
      state: await stateOf(words, skill),
      folder: skill.folder,
      description: skill.accepted?.description ?? (await descriptionOf(skill)),
    })),
  );
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

export async function showSkill(words: SkillWords, { args, options, out }: CommandContext): Promise<number> {
  const skill = await find(words, args[0] ?? "");
  const read = await readSkill(skill.folder, skill.name);
  const state = await stateOf(words, skill);
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

/** Says what the standard finds wrong in a skill, of any folder; exits with 1 if it finds something. */
export async function checkSkill({ shelf, workspace }: SkillWords, run: CommandContext): Promise<number> {
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

export async function acceptSkill(words: SkillWords, run: CommandContext): Promise<number> {
  const skill = await find(words, run.args[0] ?? "");
  const read = await readSkill(skill.folder, skill.name);
  for (const line of linesOf(skill, read)) run.err(line);
  const isKnown = skill.accepted?.hash === read.hash;
  if (!isKnown && !(await askPerson(run, `May the model use ${skill.name}?`)))
    throw errors.SKILL_UNDECIDED(skill.name);
  const { hash, description, allowedTools } = read;
  await record(words, skill, hash, "skill is accepted");
  await words.acceptances.accept(skill, {
    hash,
    description: oneLine(description),
    allowedTools,
    at: Date.now(),
  });
  run.out(`${skill.name} is accepted, as long as nothing in ${printable(skill.folder)} changes.`);
  return 0;
}

/** Takes an acceptance back; the files stay. */
export async function removeSkill(words: SkillWords, run: CommandContext): Promise<number> {
  const skill = await find(words, run.args[0] ?? "");
  if (!skill.accepted) throw errors.SKILL_NOT_ACCEPTED(skill.name, skill.name);
  await record(words, skill, skill.accepted.hash, "skill is accepted no more");
  await words.acceptances.takeBack(skill);
  run.out(`${skill.name} is accepted no more; its files stay in ${printable(skill.folder)}.`);
  return 0;
}

/** Of several skills with one name the first is meant; a path tells another. */
async function find({ shelf, workspace }: SkillWords, written: string): Promise<KnownSkill> {
  const all = await shelf.all(workspace);
  const folder = written.includes(path.sep) ? realFolder(written) : undefined;
  const found = all.find((skill) =>
    folder === undefined ? skill.name === written : skill.folder === folder,
  );
  if (!found) throw errors.SKILL_UNKNOWN(written);
  return found;
}

function realFolder(written: string): string | undefined {
  try {
    return realpathSync.native(path.resolve(written));
  } catch {
    return undefined;
  }
}

async function stateOf({ acceptances }: SkillWords, skill: KnownSkill): Promise<State> {
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
  { audit }: SkillWords,
  { name, folder }: KnownSkill,
  hash: string,
  result: string,
): Promise<void> {
  const args = { skill: name, folder, hash };
  return audit.record({
    event_type: "config_change",
    tool: "",
    args,
    result,
    user: userOfTerminal(),
    session_id: "",
  });
}
