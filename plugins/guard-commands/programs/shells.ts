import type { Options } from "./options.ts";
import { has, joined, optionsOf, valueOf, type Program } from "./report.ts";
import { begun, known, shown } from "../syntax/words.ts";

const shellOptions: Options = {
  value: "oO",
  flag: "abcefghiklmnprstuvxBCDEHPTV",
  long: "rcfile= init-file= login noprofile norc posix restricted verbose version help debugger dump-po-strings dump-strings noediting pretty-print",
  plus: true,
};

export const shell: Program = (args, report, name) => {
  if (args.length === 1 && (args[0]?.text === "--version" || args[0]?.text === "--help")) return;
  const options = optionsOf(name, args, shellOptions, report);
  const text = options.rest[0];
  const setting = valueOf(options, "o")?.text ?? "";
  if (
    has(options, "i l login rcfile init-file O H") ||
    /^(posix|allexport|keyword|history|histexpand)$/.test(setting)
  )
    report.ask(`${name} reads settings or files before it starts`);
  if (!has(options, "c"))
    report.ask(
      text ? `${name} runs the file \`${shown(text.guess)}\`` : `${name} runs whatever comes in on its input`,
    );
  else if (text) report.script(text, name.startsWith("bash") ? "bash" : "sh");
};

export const flock: Program = (args, report) => {
  const spec = {
    value: "wEc",
    flag: "exsunoFvhV",
    long: "timeout= wait= conflict-exit-code= command= shared exclusive unlock nonblock nb close no-fork verbose help version",
  };
  const before = optionsOf("flock", args, spec, report);
  const after = optionsOf("flock", before.rest.slice(1), spec, report);
  const command = valueOf(before, "c command") ?? valueOf(after, "c command");
  if (command) report.script(command, "sh");
  else report.run(after.rest);
};

export const watch: Program = (args, report) => {
  const options = optionsOf(
    "watch",
    args,
    {
      value: "nqs",
      maybe: "d",
      flag: "bceghprtvwxC",
      long: "interval= equexit= shotsdir= differences? beep color no-color errexit follow chgexit precise no-rerun no-title no-wrap exec help version",
    },
    report,
  );
  if (has(options, "x exec")) report.run(options.rest);
  else report.script(joined(options.rest), "sh");
};

export const script: Program = (args, report) => {
  const options = optionsOf(
    "script",
    args,
    {
      value: "cEIOBTmoT",
      maybe: "t",
      flag: "aefqhV",
      long: "command= echo= log-in= log-out= log-io= log-timing= logging-format= output-limit= append return flush force quiet timing? help version",
    },
    report,
  );
  const command = valueOf(options, "c command");
  if (command) report.script(command, "sh");
  else report.ask("script starts a shell that reads its input");
};

export const trap: Program = (args, report) => {
  const [action, ...rest] = args[0]?.text === "--" ? args.slice(1) : args;
  if (action && rest.length > 0 && action.text !== "-" && !/^-[lp]/.test(action.text))
    report.script(action, "bash");
};

export const alias: Program = (args, report) => {
  for (const arg of args) {
    const at = arg.text.indexOf("=");
    if (at >= 0 || !arg.whole) report.ask("an alias changes what later words run");
    if (at >= 0)
      report.script(arg.whole ? known(arg.text.slice(at + 1)) : begun("", arg.guess.slice(at + 1)), "bash");
  }
};

export const evaluate: Program = (args, report) =>
  report.script(joined(args[0]?.text === "--" ? args.slice(1) : args), "bash");
