import type { CheckRow, GantryError } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { canStart } from "./programs/starting.ts";

/**
 * Returns a warning for each rule of `security.allow` that covers less than it seems to: no command
 * line, no more than one command, or none with options.
 */
export function narrowRules(allow: readonly string[]): readonly GantryError[] {
  return allow.flatMap((rule) => {
    const words = wordsOf(rule);
    if (isSeveral(rule, words)) return [errors.ALLOW_NEVER(rule.trim())];
    if (isIdle(words)) return [errors.ALLOW_IDLE(rule.trim())];
    return isWithoutOptions(rule, words) ? [errors.ALLOW_NO_OPTIONS(rule.trim())] : [];
  });
}

/** Returns the rows of `status`. */
export function ruleRows(allow: readonly string[]): readonly CheckRow[] {
  return narrowRules(allow).map(({ message }) => {
    const end = message.lastIndexOf(": ");
    const [detail, cure] = [message.slice(0, end), message.slice(end + 2)];
    return { what: "allow rules", state: "warn", detail, cure };
  });
}

function wordsOf(rule: string): readonly string[] {
  const [, pattern = ""] = /^\s*[\w-]+\s*:\s*(?:\|\s*)?(\S.*?)\s*$/s.exec(rule) ?? [];
  return pattern.split(/\s+/);
}

/**
 * True for a rule of several commands, or of a redirection: only literal words are compared. A lone
 * `;` ends what `find` runs.
 */
function isSeveral(rule: string, words: readonly string[]): boolean {
  const isEnd = (word: string, at: number): boolean =>
    word === ";" && words.slice(0, at).some((one) => /^-(?:exec|ok)/.test(one));
  return (
    /^\s*(?:shell|mcp)\s*:/.test(rule) &&
    words.some((word, at) => /^(?:&&?|\|\||\d*[<>].*|.*;)$/.test(word) && !isEnd(word, at))
  );
}

/**
 * True if a wildcard stands where only the exact command line, or an option's whole name, covers.
 */
function isIdle([program = "", ...rest]: readonly string[]): boolean {
  const starred = rest.filter(isStarred);
  const isOpenGit = program === "git" && starred[0] === rest[0];
  const mustBeExact = starred.length > 0 && !isOpenGit && canStart([program, ...rest]);
  return mustBeExact || starred.some((word) => word.startsWith("-") && !/^--[\w-]+=/.test(word));
}

/** True for a command whose further words may be any but options, which a rule names in full. */
function isWithoutOptions(rule: string, words: readonly string[]): boolean {
  return /^\s*shell\s*:/.test(rule) && words.length > 1 && words.at(-1) === "*";
}

function isStarred(word: string): boolean {
  return /[*?]/.test(word);
}
