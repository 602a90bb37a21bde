import type { Arg } from "./words.ts";

/** Takes the findings of one program's command line. */
export interface Report {
  /** Another command is started. */
  run(argv: readonly Arg[]): void;
  /** A shell runs a text. */
  script(text: Arg): void;
  /** A variable is set or removed. */
  variable(name: Arg): void;
}

/** Takes the findings of the nodes of one shell text. */
export interface Findings extends Report {
  /** The command is known only at run time. */
  ask(why: string): void;
  /** A redirection opens a file. */
  file(target: Arg): void;
  /** A text is evaluated as arithmetic, or names the element of an array. */
  arithmetic(): void;
  /** It cannot be read with certainty; what lies beneath the node is left alone. */
  unreadable(why: string): void;
  /** Text that no expansion touches. */
  literal(text: string): void;
}
