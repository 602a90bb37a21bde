import type { Arg } from "./words.ts";

/** What a program's command line gives rise to. */
export interface Report {
  /** Another command is started. */
  run(argv: readonly Arg[]): void;
  /** Text is run by a shell; `sh` may be any POSIX shell, which reads some of bash's words differently. */
  script(text: Arg, shell: "bash" | "sh"): void;
  /** It cannot be told what runs. */
  ask(why: string): void;
  /** A variable is set or removed. */
  variable(name: Arg): void;
  /** A file is opened: the target of a redirection, or one that a program's text names. */
  file(target: Arg): void;
  /** A text is counted out, or names an array's element. */
  arithmetic(): void;
}

/** What the nodes of one shell text give rise to. */
export interface Findings extends Report {
  /** It cannot be read with certainty; what lies beneath the node is left alone. */
  unreadable(why: string): void;
  /** Text that no expansion touches. */
  literal(text: string): void;
}
