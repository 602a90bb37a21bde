import { readOptions } from "./options.ts";
import { valueOf, type Program } from "./report.ts";

export const variables: Program = (args, report, name) => {
  for (const arg of args) {
    if (/^[-+]/.test(arg.text)) {
      if (/^[-+]\w*n/.test(arg.text) && name !== "export" && name !== "readonly")
        report.ask(`${name} ${arg.text} gives a variable a second name`);
      if (/^-\w*i/.test(arg.text)) report.arithmetic();
      continue;
    }
    // declare -a x='($(ls))' runs what is quoted.
    if (/\$\(|`|\$\{|[<>]\(/.test(arg.guess))
      report.ask(`${name} may run a substitution that stands in quoted text`);
    report.variable(arg);
  }
};

export const names: Program = (args, report) => {
  for (const arg of args) if (!arg.text.startsWith("-")) report.variable(arg);
};

export const printf: Program = (args, report) => {
  if (args[0]?.text.startsWith("-v"))
    report.variable(
      args[0].text === "-v" ? (args[1] ?? args[0]) : { ...args[0], text: args[0].text.slice(2) },
    );
};

export const count: Program = (args, report) => {
  report.arithmetic();
  for (const arg of args) report.variable(arg);
};

export const test: Program = (args, report) => {
  if (args.some((arg) => /^-[vR]$/.test(arg.text) || !arg.whole)) report.arithmetic();
};

export const wait: Program = (args, report) => {
  const options = readOptions(args, { value: "p", flag: "fn" });
  const name = valueOf(options, "p");
  if (name) report.variable(name);
  // `wait $!` is ordinary; what it holds could still be `-p a[$(id)]`.
  if (options.unclear !== undefined) report.arithmetic();
};
