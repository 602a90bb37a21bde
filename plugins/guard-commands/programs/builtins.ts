import type { Report } from "../syntax/findings.ts";
import { begun, joined, known, type Arg } from "../syntax/words.ts";

/** Reads from the arguments of a program what it starts, and which variables it sets. */
export type Program = (args: readonly Arg[], report: Report) => void;

const names: Program = (args, report) => {
  for (const arg of args) if (!/^[-+]/.test(arg.text)) report.variable(arg);
};

const printf: Program = ([option, name], report) => {
  if (!option?.text.startsWith("-v")) return;
  const attached = { ...option, text: option.text.slice(2) };
  report.variable(option.text === "-v" ? (name ?? option) : attached);
};

const trap: Program = (args, report) => {
  const [action, ...rest] = withoutEnd(args);
  if (action && rest.length > 0 && !action.text.startsWith("-")) report.script(action);
};

const alias: Program = (args, report) => {
  for (const arg of args) {
    const at = arg.text.indexOf("=");
    if (at < 0) continue;
    report.script(arg.whole ? known(arg.text.slice(at + 1)) : begun("", arg.guess.slice(at + 1)));
  }
};

const evaluate: Program = (args, report) => report.script(joined(withoutEnd(args)));

/** Builtins of the shell that set variables, or run text. */
export const builtins: Readonly<Record<string, Program>> = {
  ...Object.fromEntries(
    "declare typeset local export readonly unset read getopts mapfile readarray let"
      .split(" ")
      .map((name) => [name, names]),
  ),
  alias,
  eval: evaluate,
  printf,
  trap,
};

function withoutEnd(args: readonly Arg[]): readonly Arg[] {
  return args[0]?.text === "--" ? args.slice(1) : args;
}
