import type { ShellWord } from "@gantry/sdk";

/**
 * Options that lead nowhere else, alone and with a value: letters, and names with blanks between
 * them.
 */
export interface KnownOptions {
  readonly flags: string;
  readonly values: string;
  readonly longFlags: string;
  readonly longValues: string;
}

/**
 * Returns the words that are neither options nor their values; undefined if an option is not known.
 */
export function operandsOf(
  args: readonly ShellWord[],
  { flags, values, longFlags, longValues }: KnownOptions,
): readonly ShellWord[] | undefined {
  const operands: ShellWord[] = [];
  for (let at = 0; at < args.length; at++) {
    const { text } = args[at] as ShellWord;
    const [, name, attached] = /^--([\w.-]+)(=)?/.exec(text) ?? [];
    if (name !== undefined) {
      const takesValue = longValues.split(" ").includes(name);
      if (!takesValue && (attached !== undefined || !longFlags.split(" ").includes(name))) return undefined;
      if (takesValue && attached === undefined) at++;
    } else if (/^-./.test(text)) {
      const letters = Array.from(text.slice(1));
      const last = letters.findIndex((letter) => values.includes(letter));
      const alone = last < 0 ? letters : letters.slice(0, last);
      if (alone.some((letter) => !flags.includes(letter))) return undefined;
      if (last === letters.length - 1) at++;
    } else operands.push(args[at] as ShellWord);
  }
  return operands;
}
