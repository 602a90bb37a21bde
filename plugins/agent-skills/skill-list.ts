/** A skill as the model is told of it. */
export interface ListedSkill {
  readonly name: string;
  readonly description: string;
}

const intro =
  "Skills are instructions for certain tasks that the owner has accepted. Read one by the tool `skill` before you do a task that it fits, and whenever a message names it as $NAME.";

/**
 * Returns the list for the system prompt, of at most so many characters: descriptions are cut
 * evenly, then names are left out, and both are said.
 */
export function listText(skills: readonly ListedSkill[], characters: number): string | undefined {
  if (skills.length === 0) return undefined;
  const lines = skills.map(({ name, description }) => `- ${name}: ${description}`);
  const whole = [intro, ...lines].join("\n");
  if (whole.length <= characters) return whole;
  const note = "(shortened: `skill` without a name lists all of them whole)";
  const room = characters - intro.length - note.length - 2;
  const most = longestThatFits(lines, room);
  const shown = lines.map((line) => cut(line, most));
  return [intro, ...(most > minLine ? shown : namesThatFit(skills, room)), note].join("\n");
}

const minLine = 24;

/** Returns to how many characters each line must be cut for all of them to fit. */
function longestThatFits(lines: readonly string[], room: number): number {
  const lengths = lines.map(({ length }) => length).toSorted((a, b) => a - b);
  let left = room - lines.length;
  for (const [at, length] of lengths.entries()) {
    const share = Math.floor(left / (lengths.length - at));
    if (length > share) return share;
    left -= length;
  }
  return Infinity;
}

function cut(line: string, most: number): string {
  return line.length <= most ? line : `${line.slice(0, most - 1).toWellFormed()}…`;
}

function namesThatFit(skills: readonly ListedSkill[], room: number): readonly string[] {
  const names: string[] = [];
  let left = room;
  for (const { name } of skills) {
    left -= name.length + 2;
    if (left < 0) break;
    names.push(name);
  }
  return [names.join(", ")];
}
