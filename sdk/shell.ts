import { one } from "./slot.ts";
import { having } from "./shape.ts";

/** One word of a command: `text` is what it says, or only how it begins where the rest is known at run time (`whole` is false). */
export interface ShellWord {
  readonly text: string;
  readonly whole: boolean;
  /** The whole word, if only patterns such as `*` keep it from being known. */
  readonly pattern?: string;
  /** What alone keeps it from being known: a number, as in `$?` or `-n$((x + 1))`, or the home folder that it begins with. */
  readonly butFor?: "number" | "home";
  /** May become several words, or none. Left out: it may. */
  readonly many?: boolean;
}

/** What a shell text runs and opens, as far as the text says: nested, substituted and wrapped commands each stand for themselves. */
export interface ShellReading {
  /** Program and arguments. */
  readonly commands: readonly (readonly ShellWord[])[];
  /** Those of `commands` that stand behind a pipe, or are started by what does: they are fed what another one writes. */
  readonly fed: ReadonlySet<readonly ShellWord[]>;
  /** Targets of redirections, and files that the texts of programs name, as `r` of sed. */
  readonly files: readonly ShellWord[];
  /**
   * The words of each command, if the text is nothing but commands of literal words, one after the other or piped into each
   * other: no redirection, substitution, variable, pattern, assignment, loop or function. Undefined otherwise.
   */
  readonly plain?: readonly (readonly string[])[];
}

/** Reads shell text the way bash does, running nothing. Throws for what cannot be read with certainty. */
export interface ShellReader {
  read(script: string): Promise<ShellReading>;
}
export const ShellReader = one<ShellReader>("shell-reader", having("read"));
