import { joined } from "../syntax/words.ts";
import type { Program } from "./builtins.ts";
import { has, readOptions, valueOf } from "./options.ts";

const shell: Program = (args, report) => {
  const options = readOptions(args, { value: "oO", long: "rcfile= init-file=", plus: true });
  const [text] = options.rest;
  if (text && has(options, "c")) report.script(text);
};

const flock: Program = (args, report) => {
  const spec = { value: "wEc", long: "timeout= wait= conflict-exit-code= command=" };
  const before = readOptions(args, spec);
  const after = readOptions(before.rest.slice(1), spec);
  const command = valueOf(before, "c", "command") ?? valueOf(after, "c", "command");
  if (command) report.script(command);
  else report.run(after.rest);
};

const watch: Program = (args, report) => {
  const options = readOptions(args, {
    value: "nqs",
    attached: "d",
    long: "interval= equexit= shotsdir= exec",
  });
  if (has(options, "x", "exec")) report.run(options.rest);
  else report.script(joined(options.rest));
};

const script: Program = (args, report) => {
  const options = readOptions(args, {
    value: "cEIOBTmoT",
    attached: "t",
    long: "command= echo= log-in= log-out= log-io= log-timing= logging-format= output-limit=",
  });
  const command = valueOf(options, "c", "command");
  if (command) report.script(command);
};

/** Programs that hand a text to a shell. */
export const shells: Readonly<Record<string, Program>> = {
  ...Object.fromEntries(
    ["sh", "bash", "dash", "ash", "rbash", "zsh", "ksh", "mksh"].map((name) => [name, shell]),
  ),
  flock,
  script,
  watch,
};
