import type { Command, CommandContext } from "../index.ts";

/** A call of a word of the command line, made by a test. */
export interface CommandCall extends Partial<
  Pick<CommandContext, "args" | "options" | "signal" | "user" | "interactive">
> {
  /** Lines of stdin, without their ends. Default: none. */
  readonly input?: readonly string[];
}

/** The outcome of a word of the command line. */
export interface CommandRan {
  readonly code: number;
  /** Lines of stdout. */
  readonly out: readonly string[];
  /** Lines of stderr. */
  readonly err: readonly string[];
}

/**
 * Runs a word of the command line as `gantry` would, for `cli:test` unless a user is given. Throws
 * what it throws.
 */
export async function runCommand(command: Command, call: CommandCall = {}): Promise<CommandRan> {
  const { input = [], ...rest } = call;
  const [out, err]: [string[], string[]] = [[], []];
  const bytes = async function* () {
    for (const line of input) yield new TextEncoder().encode(`${line}\n`);
  };
  const lines = async function* () {
    yield* input;
  };
  const code = await command.run({
    args: [],
    options: {},
    interactive: false,
    signal: new AbortController().signal,
    user: "cli:test",
    ...rest,
    input: { bytes, lines },
    out: (line) => void out.push(line),
    err: (line) => void err.push(line),
    serve: async () => 0,
  });
  return { code, out, err };
}
