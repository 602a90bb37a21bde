import path from "node:path";
import { type ShellReader, type Tool, type ToolCall } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { expandHome, followLinks, isInside, wildcards } from "@gantry/sdk/node";
import type { Wildcard } from "@gantry/sdk/node";
import { coversUrl, isUrlPattern, urlPattern } from "./allow-url.ts";
import { plainText } from "./plain-text.ts";

/** The separators of recipients that a tool gives as one text; a star stands for one recipient. */
const SEVERAL = ",; \t\r\n<>";

/** An option whose name is written out, and a value of it. */
const NAMED_VALUE = /^--[\w-]+=/;

/** An entry of `security.allow`: a tool, or a source of tools, and what of it needs no question. */
interface Rule {
  readonly text: string;
  readonly name: string;
  /** Undefined for an entry that is a name alone. */
  readonly pattern: string | undefined;
  /** True for commands fed by another's output, as `shell: | head *`; no other rule covers them. */
  readonly fed: boolean;
}

/** The owner's rules of what needs no question. They lift questions and never a refusal. */
export class AllowRules {
  readonly #rules: readonly Rule[];
  readonly #workspace: string;

  /** Takes the configured workspace, for paths in rules. Throws ALLOW_BAD_RULE, _PIPE and _URL. */
  constructor(entries: readonly string[], workspace: string) {
    this.#workspace = workspace;
    this.#rules = entries.map(ruleOf);
  }

  /** Returns the rules that cover the whole call, or undefined if any part of it is left over. */
  async covering(tool: Tool, call: ToolCall, shell: ShellReader | undefined): Promise<string | undefined> {
    const byName = this.#rules.find((rule) => namesWhole(rule, tool));
    if (byName) return byName.text;

    const rules = this.#rules.filter(({ name, pattern }) => name === tool.name && pattern !== undefined);
    if (rules.length === 0 || call.effects.unknown === true) return undefined;

    const { paths, commands, urls, recipients = [] } = call.effects;
    const used: (Rule | undefined)[] = [];
    for (const command of commands) used.push(...(await coveringCommand(rules, command, shell)));
    const others = rules.filter(({ fed }) => !fed);
    // A turn in a folder of it has no more allowed than others.
    const from = isInside(call.cwd, this.#workspace) ? this.#workspace : call.cwd;
    for (const use of paths) used.push(await coveringPath(others, use.resolved, from));
    for (const url of urls) used.push(others.find(({ pattern = "" }) => coversUrl(pattern, url)));
    for (const to of recipients) used.push(others.find(({ pattern = "" }) => covers(pattern, to, SEVERAL)));

    if (used.length === 0 || used.includes(undefined)) return undefined;
    return [...new Set(used.map((rule) => rule?.text))].join(", ");
  }
}

function ruleOf(text: string): Rule {
  const [, name, pipe, pattern] = /^\s*([\w-]{1,64})\s*(?::\s*(\|\s*)?(\S.*?))?\s*$/s.exec(text) ?? [];
  if (name === undefined) throw errors.ALLOW_BAD_RULE(text);
  if (pattern?.split(/\s+/).includes("|")) throw errors.ALLOW_BAD_PIPE(text);
  if (pattern !== undefined && isUrlPattern(pattern) && !urlPattern(pattern))
    throw errors.ALLOW_BAD_URL(text);
  return { text: text.trim(), name, pattern, fed: pipe !== undefined };
}

/** `weather`, or `mcp: github_*` for tools that come from there. */
function namesWhole({ name, pattern, fed }: Rule, tool: Tool): boolean {
  if (pattern === undefined) return name === tool.name;
  return !fed && tool.source === name && covers(pattern, tool.name);
}

/**
 * Returns a rule for each command of the text, `[undefined]` if the text is more than commands.
 * What is harmless with nothing to read may do as it is told by what is piped into it, so that
 * takes a rule of its own.
 */
async function coveringCommand(
  rules: readonly Rule[],
  command: string,
  shell: ShellReader | undefined,
): Promise<(Rule | undefined)[]> {
  const text = await plainText(command, shell);
  if (!text) return [undefined];
  return text.commands.map(({ words, fed, startsOthers }) => {
    const mustBeExact = text.startsOthers || startsOthers !== false;
    const fitting = rules.filter((rule) => rule.fed === fed);
    return fitting.find(({ pattern = "" }) => coversWords(pattern, words, mustBeExact));
  });
}

/**
 * True if a rule covers the words of a command: exactly these, or with wildcards for its arguments.
 * `*` stands for any characters in a word, and as the last word for any further words.
 */
function coversWords(pattern: string, words: readonly string[], mustBeExact: boolean): boolean {
  const rule = pattern.split(/\s+/);
  const isExact = rule.length === words.length && rule.every((word, i) => word === words[i]);
  if (isExact || mustBeExact || rule[0] !== words[0]) return isExact;
  const isOpen = rule.length > 1 && rule.at(-1) === "*";
  const wanted = isOpen ? rule.slice(0, -1) : rule;
  if (isOpen ? words.length < wanted.length : words.length !== wanted.length) return false;
  return words.every((word, i) => coversWord(wanted[i] ?? "*", word));
}

/**
 * True if a word is the one that a rule names. A rule names an option in full, or `--option=`
 * before its wildcards.
 */
function coversWord(wanted: string, word: string): boolean {
  if (wanted === word) return true;
  if (/^[-+@]/.test(word)) {
    const [named] = NAMED_VALUE.exec(wanted) ?? /^[+@]/.exec(wanted) ?? [];
    if (named === undefined || !word.startsWith(named)) return false;
  }
  return covers(wanted, word);
}

async function coveringPath(
  rules: readonly Rule[],
  resolved: string,
  cwd: string,
): Promise<Rule | undefined> {
  for (const rule of rules) {
    if (await coversPath(rule.pattern ?? "", resolved, cwd)) return rule;
  }
  return undefined;
}

/**
 * `**` goes through folders and `*` stays in one. Links are followed up to the workspace and
 * outside it, not inside: what a tool can turn into a link must not widen a rule.
 */
async function coversPath(pattern: string, resolved: string, cwd: string): Promise<boolean> {
  const absolute = path.resolve(cwd, expandHome(pattern));
  if (isInside(absolute, cwd)) return covers(absolute, resolved, "/");
  const firstStar = absolute.search(/[*?]/);
  if (firstStar < 0) return (await followLinks(absolute)) === resolved;
  const folder = absolute.slice(0, absolute.lastIndexOf("/", firstStar) + 1);
  const root = await followLinks(path.resolve(folder));
  return covers(path.join(root, absolute.slice(folder.length)), resolved, "/");
}

/** A `*` stands for any signs but those of `separators`; with some, `**` also goes across them. */
function covers(glob: string, text: string, separators: string = ""): boolean {
  const but = { but: separators };
  const parts = glob.match(/\*\*\/|\*+|[^]/gu) ?? [];
  const pattern = parts.flatMap((part): readonly Wildcard[] => {
    if (part === "?") return [{ any: "one", ...but }];
    if (part === "*") return [{ any: "many", ...but }];
    if (part === "**/") return separators !== "/" ? [{ any: "many" }, { sign: "/" }] : [{ any: "folders" }];
    return part.startsWith("*") ? [{ any: "many" }] : [{ sign: part }];
  });
  return wildcards(pattern)(text);
}
