import type { Report } from "../syntax/findings.ts";
import { begun, joined, known, UNKNOWN, type Arg } from "../syntax/words.ts";
import type { Program } from "./builtins.ts";
import { has, readOptions, valueOf, type Options } from "./options.ts";

/** A program that starts the command that its operands name, behind so many operands of its own. */
const wrapper =
  (spec: Options = {}, operands = 0): Program =>
  (args, report) =>
    report.run(readOptions(args, spec).rest.slice(operands));

const command: Program = (args, report) => {
  const options = readOptions(args, {});
  if (!has(options, "v", "V")) report.run(options.rest);
};

const chrt: Program = (args, report) => {
  const spec = { value: "TPD", long: "sched-runtime= sched-period= sched-deadline=" };
  const { rest } = readOptions(args, spec);
  report.run(/^\d+$/.test(rest[0]?.text ?? "") ? rest.slice(1) : rest);
};

const sudo: Program = (args, report) => {
  const long =
    "close-from= chdir= group= host= prompt= chroot= role= type= command-timeout= other-user= user=";
  runAssigned(readOptions(args, { value: "CDghpRrtTUu", long }).rest, report);
};

const env: Program = (args, report) => {
  const options = readOptions(args, {
    value: "uCSa",
    long: "unset= chdir= split-string= argv0=",
    splits: ["S", "split-string"],
  });
  for (const [name, value] of options.given)
    if (value && (name === "u" || name === "unset")) report.variable(value);
  const split = valueOf(options, "S", "split-string");
  // env splits the text as a shell would, and reads it in place of the option.
  if (split) return report.script(joined([known("env"), split, ...options.rest.map(quoted)]));
  const { rest } = options;
  runAssigned(rest[0]?.whole && rest[0].text === "-" ? rest.slice(1) : rest, report);
};

function quoted(arg: Arg): Arg {
  return { ...arg, guess: `'${arg.guess.replaceAll("'", "'\\''")}'` };
}

/** `NAME=value` words, and the command behind them. */
function runAssigned(words: readonly Arg[], report: Report): void {
  const end = words.findIndex(({ text }) => !text.includes("="));
  for (const word of end < 0 ? words : words.slice(0, end)) report.variable(word);
  if (end >= 0) report.run(words.slice(end));
}

const xargs: Program = (args, report) => {
  const options = readOptions(args, {
    value: "adEILnPs",
    attached: "eil",
    long: "arg-file= delimiter= eof? max-lines? max-args= max-chars= max-procs= replace? process-slot-var=",
  });
  if (options.rest.length === 0) return;
  const replaced =
    valueOf(options, "I")?.guess ??
    (has(options, "i", "replace") ? (valueOf(options, "i", "replace")?.guess ?? "{}") : undefined);
  if (replaced === undefined)
    report.run([...options.rest, { text: "", whole: false, many: true, guess: UNKNOWN }]);
  else report.run(options.rest.map((arg) => filled(arg, replaced)));
};

/** A word in which a program puts a name it finds. */
function filled(arg: Arg, mark: string): Arg {
  const at = arg.text.indexOf(mark);
  if (mark === "" || at < 0) return arg;
  return begun(arg.text.slice(0, at), arg.guess.replaceAll(mark, UNKNOWN));
}

const find: Program = (args, report) => {
  for (let at = 0; at < args.length; at++) {
    if (!/^-(exec|execdir|ok|okdir)$/.test(args[at]?.text ?? "")) continue;
    const from = ++at;
    while (at < args.length && !endsExec(args, at)) at++;
    report.run(args.slice(from, at).map((arg) => filled(arg, "{}")));
  }
};

function endsExec(args: readonly Arg[], at: number): boolean {
  return args[at]?.text === ";" || (args[at]?.text === "+" && args[at - 1]?.text === "{}");
}

const parallel: Program = (args, report) => {
  const end = args.findIndex((arg) => arg.text.startsWith(":::"));
  const words = end < 0 ? args : args.slice(0, end);
  const start = words.findIndex((arg) => !/^(-|\d+$)/.test(arg.text));
  if (start >= 0) report.script(joined(words.slice(start)));
};

const busybox: Program = (args, report) => {
  if (args[0]?.text.startsWith("-") !== true) report.run(args);
};

/** Programs that start another one as it stands on their own command line. */
export const starters: Readonly<Record<string, Program>> = {
  builtin: wrapper(),
  busybox,
  chrt,
  command,
  doas: wrapper({ value: "Cu" }),
  env,
  exec: wrapper({ value: "a" }),
  find,
  ionice: wrapper({ value: "cnpPu", long: "class= classdata= pid= pgid= uid=" }),
  nice: wrapper({ value: "n", long: "adjustment=" }),
  nohup: wrapper(),
  parallel,
  setsid: wrapper(),
  "ssh-agent": wrapper({ value: "aEOPt" }),
  stdbuf: wrapper({ value: "ioe", long: "input= output= error=" }),
  sudo,
  taskset: wrapper({}, 1),
  time: wrapper({ value: "fo", long: "format= output=" }),
  timeout: wrapper({ value: "ks", long: "kill-after= signal=" }, 1),
  toybox: busybox,
  xargs,
};
