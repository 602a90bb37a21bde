import { has, joined, optionsOf, valueOf, type Program } from "./report.ts";
import { splitString } from "./split-string.ts";
import { begun, known, shown, UNKNOWN, type Arg } from "../syntax/words.ts";

export const env: Program = (args, report) => {
  const options = optionsOf(
    "env",
    args,
    {
      value: "uCSa",
      flag: "i0v",
      splits: ["S", "split-string"],
      long: "ignore-environment null unset= chdir= split-string= argv0= block-signal? default-signal? ignore-signal? list-signal-handling debug help version",
    },
    report,
  );
  for (const [name, value] of options.given)
    if (value && (name === "u" || name === "unset")) report.variable(value);
  const split = valueOf(options, "S split-string");
  if (split) {
    const words = split.whole ? splitString(split.text) : undefined;
    if (!words) return report.ask("env splits a text that is known only at run time");
    return env([...words.map(known), ...options.rest], report, "env");
  }
  let rest = options.rest;
  if (rest[0]?.whole && rest[0].text === "-") rest = rest.slice(1);
  while (rest[0]?.text.includes("=")) {
    report.variable(rest[0]);
    rest = rest.slice(1);
  }
  report.run(rest);
};

export const xargs: Program = (args, report) => {
  const options = optionsOf(
    "xargs",
    args,
    {
      value: "adEILnPs",
      maybe: "eil",
      flag: "0oprtx",
      long: "arg-file= delimiter= eof? max-lines? max-args= max-chars= max-procs= replace? process-slot-var= null open-tty interactive no-run-if-empty verbose exit show-limits help version",
    },
    report,
  );
  if (options.rest.length === 0) return;
  const replaced =
    valueOf(options, "I")?.guess ??
    (has(options, "i replace") ? (valueOf(options, "i replace")?.guess ?? "{}") : undefined);
  if (replaced === undefined)
    report.run([...options.rest, { text: "", whole: false, many: true, guess: UNKNOWN }]);
  else report.run(options.rest.map((arg) => filled(arg, replaced)));
};

/** A word in which a program puts a name it finds. */
function filled(arg: Arg, mark: string, start = ""): Arg {
  const at = arg.text.indexOf(mark);
  return mark === "" || at < 0
    ? arg
    : begun(arg.text.slice(0, at) + start, arg.guess.replaceAll(mark, start + UNKNOWN));
}

export const find: Program = (args, report) => {
  const vague = args.find((arg) => arg.many);
  if (vague) report.ask(`find is given \`${shown(vague.guess)}\`, which may hold -exec`);
  const start = startOf(args);
  for (let at = 0; at < args.length; at++) {
    if (!/^-(exec|execdir|ok|okdir)$/.test(args[at]?.text ?? "")) continue;
    const from = ++at;
    while (
      at < args.length &&
      args[at]?.text !== ";" &&
      !(args[at]?.text === "+" && args[at - 1]?.text === "{}")
    )
      at++;
    report.run(args.slice(from, at).map((arg) => filled(arg, "{}", start)));
  }
};

/** How each name that find puts in begins; "" where that cannot be told. */
function startOf(args: readonly Arg[]): string {
  const operands = args.slice(
    0,
    Math.max(
      0,
      args.findIndex((arg) => /^[-(!]/.test(arg.text)),
    ),
  );
  if (args.some((arg) => arg.text === "-files0-from") || operands.length > 1) return "";
  const [{ text, whole }] = [operands[0] ?? known(".")];
  return whole && /^\.$|\//.test(text) ? text.replace(/(?<!\/)\/*$/, "/") : "";
}

export const parallel: Program = (args, report) => {
  const end = args.findIndex((arg) => arg.text.startsWith(":::"));
  const words = (end < 0 ? args : args.slice(0, end)).map((arg) =>
    hasBraces(arg.text) ? begun("", withoutBraces(arg.guess)) : arg,
  );
  const start = words.findIndex((arg) => !/^(-|\d+$)/.test(arg.text));
  report.ask("parallel starts what its options, its arguments or its input say");
  if (start >= 0) report.script(joined(words.slice(start)), "sh");
};

function hasBraces(text: string): boolean {
  const open = text.indexOf("{");
  return open >= 0 && text.includes("}", open);
}

function withoutBraces(text: string): string {
  const end = text.lastIndexOf("}") + 1;
  return text.slice(0, end).replace(/\{[^}]*\}/g, UNKNOWN) + text.slice(end);
}

export const busybox: Program = (args, report) => {
  if (args[0]?.text.startsWith("--install")) report.ask("busybox puts other programs in place");
  if (args[0]?.text.startsWith("-") !== true) report.run(args);
};
