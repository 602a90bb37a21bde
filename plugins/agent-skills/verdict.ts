import type { SkillHead } from "./skill-head.ts";

const maxName = 64;
const maxDescription = 1_024;
const maxCompatibility = 500;
const known = ["name", "description", "license", "allowed-tools", "metadata", "compatibility"];

/**
 * Returns what the standard finds wrong in a head, in sentences; none for a valid one. Source:
 * agentskills.io, skills-ref.
 */
export function verdictOn(head: SkillHead, folderName: string): readonly string[] {
  const foreign = Object.keys(head).filter((key) => !known.includes(key));
  return [
    ...(foreign.length > 0 ? [`Keys that the standard has not: ${foreign.toSorted().join(", ")}.`] : []),
    ...ofName(head["name"], folderName),
    ...ofText("description", head["description"], maxDescription),
    ...("compatibility" in head ? ofCompatibility(head["compatibility"]) : []),
  ];
}

function ofName(value: unknown, folderName: string): readonly string[] {
  const missing = ofText("name", value, Infinity);
  if (missing.length > 0) return missing;
  const name = String(value).trim().normalize("NFKC");
  const wrong: readonly (readonly [boolean, string])[] = [
    [lengthOf(name) > maxName, `The name has ${lengthOf(name)} characters, and ${maxName} are allowed.`],
    [name !== name.toLowerCase(), "The name must be in lower case."],
    [name.startsWith("-") || name.endsWith("-"), "The name begins or ends with a hyphen."],
    [name.includes("--"), "The name has two hyphens beside each other."],
    [!/^[\p{L}\p{N}-]*$/u.test(name), "The name may hold letters, digits and hyphens alone."],
    [folderName.normalize("NFKC") !== name, `The folder is called ${folderName}, and the skill ${name}.`],
  ];
  return wrong.filter(([isWrong]) => isWrong).map(([, sentence]) => sentence);
}

function ofText(key: string, value: unknown, max: number): readonly string[] {
  if (value === undefined) return [`The head has no ${key}.`];
  if (typeof value !== "string" || value.trim() === "") return [`The ${key} is not a text, or empty.`];
  return lengthOf(value) > max
    ? [`The ${key} has ${lengthOf(value)} characters, and ${max} are allowed.`]
    : [];
}

function ofCompatibility(value: unknown): readonly string[] {
  if (value === "") return [];
  return ofText("compatibility", value, maxCompatibility);
}

/** In characters as people count them in the standard: code points. */
function lengthOf(text: string): number {
  return [...text].length;
}
