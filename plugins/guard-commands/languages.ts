import { startsPrograms as awkStarts } from "./awk-program.ts";
import { knownSubcommands } from "./git-subcommands.ts";
import type { Parsed } from "./options.ts";
import { has, optionsOf, type Program } from "./report.ts";
import { startsPrograms as sedStarts } from "./sed-script.ts";
import { shown, type Arg } from "./words.ts";

// Settings that only say how things look or who one is.
const HARMLESS =
  /^(user\.\w+|color\.[\w.]+|advice\.\w+|pull\.(rebase|ff)|push\.\w+|init\.defaultbranch|core\.(autocrlf|eol|filemode|ignorecase|quotepath))$/i;
// Long options that name a program, or a folder with hooks; git takes any unambiguous beginning.
const STARTING = "exec upload-pack receive-pack extcmd ext-diff open-files-in-pager template config".split(
  " ",
);

function setsMore(words: readonly string[]): boolean {
  const names = words.filter(
    (word) => !/^--(global|local|system|worktree|add|replace-all)$|^set$/.test(word),
  );
  if (names.some((name) => /^(-e|--edit|edit)$/.test(name))) return true;
  return (
    names.filter((name) => !name.startsWith("-")).length > 1 &&
    words.some((name) => name.includes(".")) &&
    !(names.length === 2 && HARMLESS.test(names[0] ?? ""))
  );
}

export const git: Program = (args, report) => {
  const options = optionsOf(
    "git",
    args,
    {
      value: "Cc",
      flag: "pPvh",
      long: "git-dir= work-tree= namespace= super-prefix= config-env= exec-path? version help html-path man-path info-path paginate no-pager no-replace-objects no-lazy-fetch no-optional-locks no-advice bare literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs attr-source= list-cmds=",
    },
    report,
  );
  const [sub, ...rest] = options.rest.map((arg) => arg.text);
  const risky =
    (has(options, "c config-env exec-path git-dir") && "its settings") ||
    (/^(bisect|submodule|filter-branch|difftool|mergetool|daemon|shell|p4|svn|hook|send-email|instaweb|maintenance|merge-index)$/.test(
      sub ?? "",
    ) &&
      sub) ||
    (sub === "config" && setsMore(rest) && "config") ||
    (sub !== undefined && !knownSubcommands.has(sub) && sub) ||
    rest.find(
      (arg) =>
        /^(--(config|.*-filter)|ext::)/.test(arg) ||
        (/^--\w/.test(arg) && STARTING.some((long) => long.startsWith(arg.slice(2).replace(/=.*$/s, "")))) ||
        (sub === "clone" && /^(-c|-u|[a-zA-Z]+\.[\w.-]*=)/.test(arg)) ||
        (/^-[xO]/.test(arg) && /^(rebase|grep)$/.test(sub ?? "")),
    );
  if (risky) report.ask(`git can start other programs by \`${shown(risky)}\``);
};

// Beyond this, reading a script costs more than it is worth.
const LONGEST = 4_000;
const sedOptions = {
  value: "efl",
  maybe: "i",
  flag: "nErsuz",
  long: "expression= file= line-length= in-place? quiet silent regexp-extended separate unbuffered null-data zero-terminated posix debug sandbox follow-symlinks binary help version",
};

export const sed: Program = (args, report) => {
  const given: Parsed["given"][number][] = [];
  const operands: Arg[] = [];
  // Options may follow operands.
  for (let rest = args; rest.length > 0;) {
    const options = optionsOf("sed", rest, sedOptions, report);
    given.push(...options.given);
    operands.push(...options.rest.slice(0, 1));
    rest = options.rest.slice(1);
  }
  const named = given.flatMap(([name, value]) =>
    (name === "e" || name === "expression") && value ? [value] : [],
  );
  const fromFile = given.some(([name]) => name === "f" || name === "file");
  const scripts = named.length > 0 || fromFile ? named : operands.slice(0, 1);
  const text = scripts.map((script) => script.guess).join("\n");
  if (text.length > LONGEST) report.ask("this sed script is too long to be read");
  else if (fromFile || scripts.some(isOpen) || sedStarts(text))
    report.ask("this sed script can start programs");
};

export const awk: Program = (args, report) => {
  let program: Arg | undefined;
  let risky = false;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as Arg;
    if (program === undefined && /^-[Fv]$/.test(arg.text)) at++;
    else {
      risky ||=
        /^(-[fEilDW]|--(f|exec|incl|load|debug))/.test(arg.text) ||
        (!/^-[Fv]/.test(arg.text) && (arg.guess.length > LONGEST || awkStarts(arg.guess)));
      if (!arg.text.startsWith("-")) program ??= arg;
    }
  }
  if (risky || (program && isOpen(program))) report.ask("this awk program can start programs");
};

/** Known at run time from its first letter on. */
function isOpen({ text, whole }: Arg): boolean {
  return text === "" && !whole;
}
