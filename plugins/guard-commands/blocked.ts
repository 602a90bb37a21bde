import { errors } from "./errors.ts";

import { baseName, type Arg } from "./syntax/words.ts";

/** A name, or a name with its first arguments. */
interface Entry {
  readonly name: string;
  readonly args: readonly string[];
  readonly text: string;
}
export type Blocked = ReadonlyMap<string, readonly Entry[]>;

/** Throws `COMMAND_BAD_ENTRY`. */
export function blockedFrom(entries: readonly string[]): Blocked {
  const map = new Map<string, Entry[]>();
  for (const text of entries) {
    const [path = "", ...args] = text.trim().split(/\s+/);
    const name = baseName(path);
    if (name === "") throw errors.COMMAND_BAD_ENTRY(text);
    map.set(name, [...(map.get(name) ?? []), { name, args, text: text.trim() }]);
  }
  return map;
}

/** The entry that a command falls under: `yes`, or `maybe` where an argument is known only at run time. */
export function findBlocked(
  argv: readonly Arg[],
  blocked: Blocked,
): { readonly entry: string; readonly sure: boolean } | undefined {
  const [head, ...args] = argv;
  let maybe: string | undefined;
  const name = baseName(head?.guess ?? "");
  // mkfs stands for mkfs.ext4 too.
  for (const entry of blocked.get(name) ?? blocked.get(name.replace(/\..*$/s, "")) ?? []) {
    for (let from = 0; ; from++) {
      const fits = entry.args.map((word, i) => fit(args[from + i], word));
      if (fits.every((one) => one === "yes")) return { entry: entry.text, sure: true };
      if (!fits.includes("no")) maybe ??= entry.text;
      // Options, and words that may be their values, can stand in between: git -C dir push.
      const skipped = args[from];
      if (skipped === undefined) break;
      const option = skipped.text.startsWith("-") || !skipped.whole;
      if (!option && !(from > 0 && args[from - 1]?.text.startsWith("-"))) break;
    }
  }
  return maybe === undefined ? undefined : { entry: maybe, sure: false };
}

function fit(arg: Arg | undefined, word: string): "yes" | "no" | "maybe" {
  if (arg === undefined) return "no";
  if (arg.whole) return arg.text === word ? "yes" : "no";
  return arg.many || word.startsWith(arg.text) ? "maybe" : "no";
}
