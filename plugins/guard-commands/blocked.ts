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

/**
 * Returns the entry that a command falls under, by words that its text tells in full; `name` is its
 * program's.
 */
export function findBlocked(name: string, argv: readonly Arg[], blocked: Blocked): string | undefined {
  // mkfs stands for mkfs.ext4 too.
  const dot = name.indexOf(".");
  const entries = blocked.get(name) ?? (dot < 0 ? undefined : blocked.get(name.slice(0, dot)));
  return entries?.find((entry) => covers(entry, argv))?.text;
}

function covers(entry: Entry, argv: readonly Arg[]): boolean {
  for (let from = 1; ; from++) {
    const words = argv.slice(from, from + entry.args.length);
    if (entry.args.every((word, i) => words[i]?.whole && words[i].text === word)) return true;
    // Options, and words that may be their values, can stand in between: git -C dir push.
    const skipped = argv[from];
    if (skipped === undefined) return false;
    const isOption = skipped.text.startsWith("-") || !skipped.whole;
    if (!isOption && (from === 1 || !argv[from - 1]?.text.startsWith("-"))) return false;
  }
}
