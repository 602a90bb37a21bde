import { spawn } from "@lydell/node-pty";
import { bin, environment, type Run } from "./cli.ts";

export interface Conversation extends AsyncDisposable {
  /** Everything that stood on the screen, colours and cursor moves left out. */
  readonly screen: () => string;
  /** The same, byte by byte. */
  readonly bytes: () => string;
  signal(name: NodeJS.Signals): void;
  type(keys: string): void;
  /** Resolves once what came after the last match matches; gives what stood there until then. */
  until(pattern: RegExp): Promise<string>;
  readonly ended: Promise<number>;
}

// oxlint-disable-next-line no-control-regex -- what terminals understand
const moves = /\u001b\[[0-9;?]*[A-Za-z]|\u001b[=>]/g;

/** The built command line in a pseudo-terminal, as a person sits at it. */
export function talk(args: readonly string[], run: Run & { readonly columns?: number }): Conversation {
  const terminal = spawn(run.node ?? process.execPath, [bin, ...args], {
    cwd: run.cwd ?? run.dir,
    // A person's terminal edits and colours, unless a test says otherwise.
    env: { ...environment(run), TERM: "xterm", NO_COLOR: "", ...run.env },
    cols: run.columns ?? 200,
    rows: 50,
  });
  let text = "";
  let bytes = "";
  let from = 0;
  const waiting: { pattern: RegExp; resolve: (text: string) => void; reject: (error: Error) => void }[] = [];
  const look = (): void => {
    const [first] = waiting;
    const found = first?.pattern.exec(text.slice(from));
    if (!first || !found) return;
    waiting.shift();
    const seen = text.slice(from, from + found.index + found[0].length);
    from += seen.length;
    first.resolve(seen);
    look();
  };
  terminal.onData((piece) => {
    bytes += piece;
    text += piece.replace(moves, "");
    look();
  });
  const { promise: ended, resolve } = Promise.withResolvers<number>();
  terminal.onExit(({ exitCode }) => {
    for (const { pattern, reject } of waiting.splice(0))
      reject(new Error(`ended without ${String(pattern)}: ${text.slice(from)}`));
    resolve(exitCode);
  });
  return {
    screen: () => text,
    bytes: () => bytes,
    signal: (name) => void process.kill(terminal.pid, name),
    type: (keys) => terminal.write(keys),
    until: (pattern) =>
      new Promise((found, reject) => {
        const late = setTimeout(
          () => reject(new Error(`nothing like ${String(pattern)} in: ${text.slice(from)}`)),
          45_000,
        );
        const settled =
          <T>(settle: (value: T) => void) =>
          (value: T) => {
            clearTimeout(late);
            settle(value);
          };
        waiting.push({ pattern, resolve: settled(found), reject: settled(reject) });
        look();
      }),
    ended,
    async [Symbol.asyncDispose]() {
      terminal.kill("SIGKILL");
      await ended;
    },
  };
}
