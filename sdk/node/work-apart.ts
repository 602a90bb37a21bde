import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Static, TSchema } from "typebox";
import { type ApartMessage, packMessage, unpackMessage } from "./apart-message.ts";
import { entryBeside } from "./entry-beside.ts";
import { nodeCommand } from "./node-command.ts";

/** What work apart may take. */
export interface ApartBounds {
  /** Of processor time, so that a busy machine changes nothing. */
  readonly cpuSeconds: number;
  /** Of the heap of JavaScript. */
  readonly memoryMb: number;
}

export interface ApartWork<T extends TSchema = TSchema> extends ApartBounds {
  /** The `import.meta.url` of the plugin's `index`. */
  readonly base: string;
  /** The file beside it, without its ending, which must be `-worker`; it calls `answerApart`. */
  readonly name: string;
  /** `Sandbox.confining`; without it nothing but the bounds holds the process. */
  readonly confining: string | undefined;
  readonly input: ApartMessage;
  /** The shape of the facts that come back: the input may have taken the process over. */
  readonly answers: T;
  readonly signal: AbortSignal;
}

/** What came of it. */
export interface ApartAnswer<T extends TSchema> {
  readonly facts: Static<T>;
  readonly bytes: Uint8Array;
}

/** V8 keeps three such halves for what is new, beside what is old. */
const YOUNG_MB = 4;
/** More of an answer is not read, nor of a complaint. */
const MAX_ANSWER = 128 * 1024 * 1024;
const MAX_COMPLAINT = 64 * 1024;

/** The kernel counts the time, also where nobody is left who could: a service that was killed leaves nothing that runs on. */
const BOUNDED = 'ulimit -c 0; ulimit -t "$1"; shift; exec "$@"';

/** By file: when what it was asked last is done. */
const last = new Map<string, Promise<unknown>>();

/**
 * Returns what a file of a plugin makes of bytes from outside, in a process of its own that has no
 * way to a file, a network or another process; undefined if it took more than it may or answered in
 * another shape, as bytes do that hold it up or take it over. A file does one work after another,
 * so that however many are wanted at once, memory is bounded. A thread would not do: V8 ends the
 * whole process when one allocation of a thread goes over the thread's limit. Throws when the
 * process did not start and what the file threw, and the reason of `signal`.
 */
export function workApart<T extends TSchema>(work: ApartWork<T>): Promise<ApartAnswer<T> | undefined> {
  const file = `${work.base} ${work.name}`;
  const done = (last.get(file) ?? Promise.resolve()).then(() => inProcess(work));
  last.set(
    file,
    done.catch(() => undefined).then(() => undefined),
  );
  return done;
}

async function inProcess<T extends TSchema>(work: ApartWork<T>): Promise<ApartAnswer<T> | undefined> {
  const { name, input, answers, signal } = work;
  signal.throwIfAborted();
  const worker = start(work);
  const end = (): unknown => worker.kill("SIGKILL");
  signal.addEventListener("abort", end);
  const ended = new Promise<{ readonly code: number | null }>((resolve, reject) => {
    worker.once("error", reject);
    worker.once("close", (code) => resolve({ code }));
  });
  try {
    // It may end before it has read everything.
    worker.stdin!.on("error", () => undefined).end(packMessage(input));
    const [{ code }, output, said] = await Promise.all([
      ended,
      beginningOf(worker.stdout!, MAX_ANSWER, end),
      beginningOf(worker.stderr!, MAX_COMPLAINT, end),
    ]);
    signal.throwIfAborted();
    if (code === null) return undefined;
    if (code !== 0) throw new Error(`${name} failed: ${said.toString().trim().slice(-1_000)}`);
    const answer = unpackMessage(output);
    const { Value } = await import("typebox/value");
    if (!answer || !Value.Check(answers, answer.facts)) return undefined;
    return { facts: answer.facts, bytes: answer.bytes };
  } finally {
    signal.removeEventListener("abort", end);
    end();
  }
}

function start({ base, name, confining, cpuSeconds, memoryMb }: ApartWork): ChildProcess {
  const { url, nodeArgs } = entryBeside(base, name);
  const heap = [`--max-old-space-size=${memoryMb - 3 * YOUNG_MB}`, `--max-semi-space-size=${YOUNG_MB}`];
  const flags = [...heap, "--v8-pool-size=1", "--no-warnings", ...nodeArgs];
  const command = [
    ...nodeCommand(flags, fileURLToPath(url)),
    ...(confining === undefined ? [] : [confining]),
  ];
  return spawn("/bin/sh", ["-c", BOUNDED, "sh", String(cpuSeconds), ...command], { env: {}, cwd: "/" });
}

/** Calls `end` when there is more than `max` bytes. */
async function beginningOf(stream: Readable, max: number, end: () => unknown): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > max) {
      end();
      break;
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
