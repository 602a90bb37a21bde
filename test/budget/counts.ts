import path from "node:path";
import { root } from "../helpers/cli.ts";
import type { Told } from "./counted-process.ts";

/** Amounts by name: of a system call, of a statement, of a file's bytes. */
export type Amounts = Readonly<Record<string, number>>;

/** The cost of one piece of work, in units that no machine changes. */
export interface Counts {
  /** Bytes of each file of code that was loaded; for work that is warm none are expected. */
  readonly modules: Amounts;
  /** Parts of Node that were loaded. */
  readonly builtins: readonly string[];
  readonly statements: Amounts;
  /** Bytes allocated on the heap of V8. */
  readonly allocated: number;
  /** Files that were opened, or tried; undefined without strace. */
  readonly files?: readonly string[];
  /** System calls on files, and those that make or bind a socket; undefined without strace. */
  readonly calls?: Amounts;
}

/** Returns the cost between two reports of a process. */
export function between(before: Told, after: Told): Counts {
  return {
    modules: named(grown(before.modules, after.modules)),
    builtins: after.builtins.filter((name) => !before.builtins.includes(name)),
    statements: named(grown(before.statements, after.statements)),
    allocated: after.heap - before.heap,
  };
}

/** The system calls that a part of a trace tells of, by name, and the files that were opened. */
export function traced(lines: readonly string[], dir: string): Pick<Counts, "files" | "calls"> {
  const calls: Record<string, number> = {};
  const files = new Set<string>();
  for (const line of lines) {
    const [, call = "", rest = ""] = /^\d+\s+(\w+)\((.*)$/.exec(line) ?? [];
    // Pipes, sockets and other descriptors without a file carry what is waited for, in as many
    // pieces as it comes.
    const onFile = /^\d+<\/(?!dev\/)/.test(rest) || /^[^"]{0,80}"/.test(rest);
    // Libraries and facts of the machine, and the depth of checkout and home, say nothing of the
    // product.
    const [, named = ""] = /^[^"]{0,80}"([^"]*)"/.exec(rest) ?? [];
    if (/^\/(?:etc|lib|lib64|usr|sys\/devices)\//.test(named) && !named.startsWith(root)) continue;
    if (named.startsWith("/") && [root, dir].some((folder) => `${folder}/`.startsWith(`${named}/`))) continue;
    if (!onFile && !["socket", "connect", "bind", "listen"].includes(call)) continue;
    calls[call] = (calls[call] ?? 0) + 1;
    const [, opened] = /^open(?:at)?\([^"]*"([^"]+)"/.exec(`${call}(${rest}`) ?? [];
    if (opened !== undefined) files.add(plainName(opened, dir));
  }
  return { calls, files: [...files].toSorted() };
}

/** Takes away what a Node that does nothing costs: `of` alone remains. */
export function beyond(of: Counts, bare: Counts): Counts {
  return {
    modules: grown(bare.modules, of.modules),
    builtins: of.builtins.filter((name) => !bare.builtins.includes(name)),
    statements: grown(bare.statements, of.statements),
    allocated: of.allocated - bare.allocated,
    ...(of.calls && { calls: grown(bare.calls ?? {}, of.calls) }),
    ...(of.files && { files: of.files.filter((name) => !bare.files?.includes(name)) }),
  };
}

/**
 * The usual one of many: each amount is the lower quartile, and a name counts if it stands in three
 * of four. What timers do meanwhile only adds, and on a machine that does other things it falls
 * into more of them.
 */
export function usual(all: readonly Counts[]): Counts {
  const amounts = (of: (counts: Counts) => Amounts): Amounts => {
    const names = new Set(all.flatMap((counts) => Object.keys(of(counts))));
    const usuals = [...names].map((name) => [name, quartile(all.map((one) => of(one)[name] ?? 0))] as const);
    return Object.fromEntries(usuals.filter(([, amount]) => amount > 0));
  };
  const most = (of: (counts: Counts) => readonly string[]): readonly string[] =>
    Object.keys(amounts((counts) => Object.fromEntries(of(counts).map((name) => [name, 1]))));
  return {
    modules: amounts(({ modules }) => modules),
    builtins: most(({ builtins }) => builtins),
    statements: amounts(({ statements }) => statements),
    allocated: quartile(all.map(({ allocated }) => allocated)),
    ...(all[0]?.calls && { calls: amounts(({ calls = {} }) => calls) }),
    ...(all[0]?.files && { files: most(({ files = [] }) => files) }),
  };
}

function grown(before: Amounts, after: Amounts): Amounts {
  const more = Object.entries(after).map(([name, n]) => [name, n - (before[name] ?? 0)] as const);
  return Object.fromEntries(more.filter(([, amount]) => amount > 0));
}

function named(amounts: Amounts): Amounts {
  const plain: Record<string, number> = {};
  for (const [name, amount] of Object.entries(amounts)) {
    const short = name.startsWith("/") ? plainName(name, "") : name.replace(/\s+/g, " ").slice(0, 90);
    plain[short] = (plain[short] ?? 0) + amount;
  }
  return plain;
}

/** A path as every machine, checkout and build has it. */
function plainName(file: string, dir: string): string {
  const at = path.normalize(file);
  const inHome = dir !== "" && at.startsWith(dir) ? `HOME${at.slice(dir.length)}` : at;
  return inHome
    .replace(root, "")
    .replace(/\/compile\/.*/, "/compile/…")
    .replace(/-[\w-]{8}\.js$/, ".js")
    .replace(/^\/proc\/\d+/, "/proc/self")
    .replace(/(?:\d+-)?[0-9a-f]{8,}/g, "…")
    .replace(/^\/sys\/fs\/cgroup\/.*\//, "/sys/fs/cgroup/…/");
}

function quartile(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 4)] ?? 0;
}
