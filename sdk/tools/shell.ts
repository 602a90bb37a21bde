import { one } from "../contract/slot.ts";
import { having } from "../contract/shape.ts";

/**
 * One word of a command: `text` is what it says, or only how it begins if the rest is known at run
 * time (`whole` is false).
 */
export interface ShellWord {
  readonly text: string;
  readonly whole: boolean;
  /** The whole word, if only patterns such as `*` keep it from being known. */
  readonly pattern?: string;
  /**
   * The only thing that keeps it from being known: a number, as in `$?` or `-n$((x + 1))`, or the
   * home folder that it begins with.
   */
  readonly butFor?: "number" | "home";
  /** May become several words, or none. Left out: it may. */
  readonly many?: boolean;
}

/** A command of literal words, as it stands in a shell text. */
export interface PlainCommand {
  readonly words: readonly string[];
  /** It stands behind a pipe, so it is fed what another command writes. */
  readonly fed: boolean;
  /**
   * False if no operand makes it start another command, run code or write a file. Left out it
   * counts as true, and no rule with a wildcard covers the command.
   */
  readonly startsOthers?: boolean;
}

/**
 * The commands and redirections of a shell text, as far as the text says. Nested, substituted and
 * wrapped commands each stand for themselves; which files and programs the text of another language
 * names is not read.
 */
export interface ShellReading {
  /** Program and arguments. */
  readonly commands: readonly (readonly ShellWord[])[];
  /** Targets of redirections. */
  readonly files: readonly ShellWord[];
  /**
   * The commands of a text that is nothing but commands of literal words, one after the other or
   * piped into each other: no redirection, substitution, variable, pattern, assignment, loop or
   * function. Undefined otherwise. What these commands start stands in `commands` alone, which is
   * then longer.
   */
  readonly plain?: readonly PlainCommand[];
  /**
   * True if nothing but such commands of plain programs run, which reach no network and start
   * nothing.
   */
  readonly contained?: boolean;
}

/** Reads shell text as bash does, running nothing. Throws if it cannot be read with certainty. */
export interface ShellReader {
  read(script: string): Promise<ShellReading>;
}
export const ShellReader = one<ShellReader>("shell-reader", having("read"));
