import { shown } from "../syntax/words.ts";
import { knownSubcommands } from "./git-subcommands.ts";
import type { Options } from "./options.ts";
import { has, optionsOf, type Program } from "./report.ts";

const options: Options = {
  value: "Cc",
  flag: "pPvh",
  long: "git-dir= work-tree= namespace= super-prefix= config-env= exec-path? version help html-path man-path info-path paginate no-pager no-replace-objects no-lazy-fetch no-optional-locks no-advice bare literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs attr-source= list-cmds=",
};

/** Subcommands that start programs by their nature. */
const STARTERS = new Set(
  "bisect submodule filter-branch difftool mergetool daemon shell p4 svn hook send-email instaweb maintenance merge-index".split(
    " ",
  ),
);
// Settings that only say how things look or who one is.
const HARMLESS_SETTING =
  /^(user\.\w+|color\.[\w.]+|advice\.\w+|pull\.(rebase|ff)|push\.\w+|init\.defaultbranch|core\.(autocrlf|eol|filemode|ignorecase|quotepath))$/i;
// Long options that name a program, or a folder with hooks; git takes any unambiguous beginning.
const STARTING_OPTIONS =
  "exec upload-pack receive-pack extcmd ext-diff open-files-in-pager template config".split(" ");

/** By what an argument of a subcommand makes git start another program; each row stands for itself. */
const risks: readonly {
  readonly subcommands?: readonly string[];
  readonly matches: (arg: string) => boolean;
}[] = [
  { matches: (arg) => /^(--(config|.*-filter)|ext::)/.test(arg) },
  { matches: isStartingOption },
  { subcommands: ["clone"], matches: (arg) => /^(-c|-u|[a-zA-Z]+\.[\w.-]*=)/.test(arg) },
  { subcommands: ["rebase", "grep"], matches: (arg) => /^-[xO]/.test(arg) },
];

/** Subcommands that start others only with some arguments. */
const judged: Readonly<Record<string, (args: readonly string[]) => boolean>> = { config: setsMore };

export const git: Program = (args, report) => {
  const read = optionsOf("git", args, options, report);
  const [subcommand = "", ...rest] = read.rest.map((arg) => arg.text);
  const setting = has(read, "c config-env exec-path git-dir") ? "its settings" : undefined;
  const risky = setting ?? riskySubcommand(subcommand, rest) ?? riskyArgument(subcommand, rest);
  if (risky !== undefined) report.ask(`git can start other programs by \`${shown(risky)}\``);
};

function riskySubcommand(name: string, args: readonly string[]): string | undefined {
  if (name === "") return undefined;
  const isRisky = STARTERS.has(name) || !knownSubcommands.has(name) || judgedRisky(name, args);
  return isRisky ? name : undefined;
}

function judgedRisky(name: string, args: readonly string[]): boolean {
  return Object.hasOwn(judged, name) && judged[name]?.(args) === true;
}

function riskyArgument(subcommand: string, args: readonly string[]): string | undefined {
  const rows = risks.filter(({ subcommands }) => subcommands?.includes(subcommand) ?? true);
  return args.find((arg) => rows.some(({ matches }) => matches(arg)));
}

function isStartingOption(arg: string): boolean {
  const name = arg.slice(2).replace(/=.*$/s, "");
  return /^--\w/.test(arg) && STARTING_OPTIONS.some((long) => long.startsWith(name));
}

/** True where `git config` writes a setting that may name a program. */
function setsMore(words: readonly string[]): boolean {
  const names = words.filter(
    (word) => !/^--(global|local|system|worktree|add|replace-all)$|^set$/.test(word),
  );
  if (names.some((name) => /^(-e|--edit|edit)$/.test(name))) return true;

  const isWriting = names.filter((name) => !name.startsWith("-")).length > 1;
  const namesOne = words.some((name) => name.includes("."));
  const isHarmless = names.length === 2 && HARMLESS_SETTING.test(names[0] ?? "");
  return isWriting && namesOne && !isHarmless;
}
