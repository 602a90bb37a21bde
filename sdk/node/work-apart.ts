import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { entryBeside } from "./entry-beside.ts";
import { nodeCommand } from "./node-command.ts";

/** What work apart may take. */
export interface ApartBounds {
  /** Of processor time, so that a busy machine changes nothing. */
  readonly cpuSeconds: number;
  /** Of the heap of JavaScript. */
  readonly memoryMb: number;
}

export interface ApartWork extends ApartBounds {
  /** The `import.meta.url` of the plugin's `index`. */
  readonly base: string;
  /** The file beside it, without its ending, which must be `-worker`; it reads its stdin whole and writes the result to stdout. */
  readonly name: string;
  readonly input: string;
  readonly signal: AbortSignal;
}

/** V8 keeps three such halves for what is new, beside what is old. */
const YOUNG_MB = 4;

/** The kernel counts the time, also where nobody is left who could: a service that was killed leaves nothing that runs on. */
const BOUNDED = 'ulimit -c 0; ulimit -t "$1"; shift; exec "$@"';

/** By file: when what it was asked last is done. */
const last = new Map<string, Promise<unknown>>();

/**
 * What a file of a plugin makes of a text from outside, in a process of its own; undefined where it took more than it may.
 * A file does one work after another, so that however many are wanted at once, memory is bounded.
 * A thread would not do: V8 ends the whole process when one allocation of a thread goes over the thread's limit.
 * Throws what the file threw, and the reason of `signal`.
 */
export function workApart(work: ApartWork): Promise<string | undefined> {
  const file = `${work.base} ${work.name}`;
  const done = (last.get(file) ?? Promise.resolve()).then(() => inProcess(work));
  last.set(
    file,
    done.catch(() => undefined).then(() => undefined),
  );
  return done;
}

async function inProcess(work: ApartWork): Promise<string | undefined> {
  const { base, name, input, cpuSeconds, memoryMb, signal } = work;
  signal.throwIfAborted();
  const { text } = await import("node:stream/consumers");
  const { url, nodeArgs } = entryBeside(base, name);
  const heap = [`--max-old-space-size=${memoryMb - 3 * YOUNG_MB}`, `--max-semi-space-size=${YOUNG_MB}`];
  const flags = [...heap, "--v8-pool-size=1", "--no-warnings", ...nodeArgs];
  const command = nodeCommand(flags, fileURLToPath(url));
  const worker = spawn("/bin/sh", ["-c", BOUNDED, "sh", String(cpuSeconds), ...command], {
    env: {},
    cwd: "/",
  });
  const end = (): unknown => worker.kill("SIGKILL");
  signal.addEventListener("abort", end);
  const ended = new Promise<{ readonly code: number | null }>((resolve, reject) => {
    worker.once("error", reject);
    worker.once("close", (code) => resolve({ code }));
  });
  try {
    // It may end before it has read everything.
    worker.stdin.on("error", () => undefined).end(input);
    const [{ code }, output, said] = await Promise.all([ended, text(worker.stdout), text(worker.stderr)]);
    signal.throwIfAborted();
    if (code === null) return undefined;
    if (code !== 0) throw new Error(`${name} failed: ${said.trim().slice(-1_000)}`);
    return output;
  } finally {
    signal.removeEventListener("abort", end);
    end();
  }
}
