import { git } from "./git.ts";
import { awk, sed } from "./languages.ts";
import { hiddenCode } from "./opaque.ts";
import { has, optionsOf, type Program, type Report } from "./report.ts";
import { alias, evaluate, flock, script, shell, trap, watch } from "./shells.ts";
import { busybox, env, find, parallel, xargs } from "./starters.ts";
import { count, names, printf, test, variables, wait } from "./variables-set.ts";
import type { Arg } from "../syntax/words.ts";
import { wrappers } from "./wrappers.ts";

const byName: Readonly<Record<string, Program>> = {
  ...Object.fromEntries(["sh", "bash", "dash", "ash", "rbash"].map((name) => [name, shell])),
  ...Object.fromEntries(
    ["declare", "typeset", "local", "export", "readonly"].map((name) => [name, variables]),
  ),
  ...Object.fromEntries(["unset", "read", "getopts", "mapfile", "readarray"].map((name) => [name, names])),
  ...Object.fromEntries(["awk", "gawk", "mawk", "nawk"].map((name) => [name, awk])),
  alias,
  busybox,
  env,
  find,
  flock,
  git,
  let: count,
  test,
  "[": test,
  parallel,
  printf,
  script,
  sed,
  toybox: busybox,
  trap,
  wait,
  watch,
  xargs,
  eval: evaluate,
};

/** Looks through one program's arguments for what it starts. `name` is without its folder, in lower case. */
export function lookThrough(name: string, args: readonly Arg[], report: Report): void {
  const plain = plainName(name);
  const texts = args.map((arg) => arg.text);
  const hidden = hiddenCode(name, texts) ?? (plain === name ? undefined : hiddenCode(plain, texts));
  if (hidden !== undefined) report.ask(hidden);
  const program = own(byName, name) ?? own(byName, plain);
  if (program) return program(args, report, name);
  const wrapper = own(wrappers, name) ?? own(wrappers, plain);
  if (!wrapper) return;
  const options = optionsOf(name, args, wrapper, report);
  if (wrapper.none !== undefined && has(options, wrapper.none)) return;
  const { operands = 0 } = wrapper;
  const numbers = operands < 0 ? (/^\d+$/.test(options.rest[0]?.text ?? "") ? 1 : 0) : operands;
  if (options.rest.slice(0, numbers).some((arg) => arg.many))
    report.ask(`${name} is given words that are known only at run time`);
  const rest = options.rest.slice(numbers);
  const start = wrapper.assigns ? rest.findIndex((arg) => !arg.text.includes("=")) : 0;
  for (const arg of rest.slice(0, start)) report.variable(arg);
  report.run(rest.slice(start));
}

// GNU programs beside others: gfind, genv.
const GNU = /^g(?=(env|find|xargs|timeout|nice|nohup|stdbuf|time|sed|tar|sort|split|install)$)/;
const MACHINE = String.raw`[a-z0-9_]+-linux-(?:gnu|musl)[a-z0-9]*`;
const AFFIXES = new RegExp(String.raw`^${MACHINE}-|-${MACHINE}$|\..*$|(?<![-.\d])[-.\d]+$`, "g");

/** A program's name without version, variant or machine: python3.11, vim.basic, x86_64-linux-gnu-gcc-12. */
function plainName(name: string): string {
  return name
    .replace(AFFIXES, "")
    .replace(/(?<![-.\d])[-.\d]+$/, "")
    .replace(GNU, "");
}

function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
