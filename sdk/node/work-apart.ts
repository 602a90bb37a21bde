import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Static, TSchema } from "typebox";
import { type ApartMessage, MAX_FACTS, packMessage, READY, unpackMessage } from "./apart-message.ts";
import { entryBeside } from "./entry-beside.ts";
import { nodeCommand } from "./node-command.ts";

/** The resources that work apart may take. */
export interface ApartBounds {
  /** Seconds of processor time, so that a busy machine changes nothing. */
  readonly cpuSeconds: number;
  /** MiB of the heap of JavaScript. */
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
  /**
   * The shape of the facts that come back, at most 8 MiB: the input may have taken the process
   * over, so unknown keys are to be refused.
   */
  readonly answers: T;
  readonly signal: AbortSignal;
}

/** The answer of work apart. */
export interface ApartAnswer<T extends TSchema> {
  readonly facts: Static<T>;
  readonly bytes: Uint8Array;
}

/** V8 keeps three such halves for what is new, beside what is old. */
const YOUNG_MB = 4;
/** More of an answer is not read, nor of a complaint. */
const MAX_ANSWER = 128 * 1024 * 1024;
const MAX_COMPLAINT = 64 * 1024;
/** A process that waits uses no processor time; a busy machine takes longer for the same work. */
const WALL_PER_CPU = 6;

/**
 * The kernel counts the processor time, even if the service was killed, and ends this process
 * before any other if memory is short.
 */
const BOUNDED = `echo 1000 2>/dev/null >/proc/self/oom_score_adj || :
ulimit -c 0; ulimit -t "$1"; shift; exec "$@"`;

/** By file: when what it was asked last is done. */
const last = new Map<string, Promise<unknown>>();

/**
 * Returns what a file of a plugin makes of bytes from outside, in a process of its own that has no
 * way to a file, a network or another process; undefined if it took more than it may, ended or
 * answered in another shape, as bytes do that hold it up or take it over. A file does one work
 * after another, so that however many are wanted at once, memory is bounded. A thread would not do:
 * V8 ends the whole process when one allocation of a thread goes over the thread's limit. Throws if
 * the process did not start, and the reason of `signal`.
 */
export function workApart<T extends TSchema>(work: ApartWork<T>): Promise<ApartAnswer<T> | undefined> {
  const file = `${work.base} ${work.name}`;
  const before = last.get(file) ?? Promise.resolve();
  const done = unlessAborted(before, work.signal).then(() => inProcess(work));
  last.set(file, Promise.allSettled([before, done]));
  return done;
}

/** Resolves with `before`. Throws the signal's reason as soon as it is aborted. */
function unlessAborted(before: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  return Promise.race([before, aborted]).finally(() => signal.removeEventListener("abort", stop));
}

async function inProcess<T extends TSchema>(work: ApartWork<T>): Promise<ApartAnswer<T> | undefined> {
  const { name, input, answers, signal, cpuSeconds } = work;
  signal.throwIfAborted();
  const worker = start(work);
  const end = (): unknown => worker.kill("SIGKILL");
  const ended = new Promise<number | null>((resolve, reject) => {
    worker.once("error", reject);
    worker.once("close", resolve);
  });
  const { stdin, stdout, stderr } = worker;
  // Without descriptors for them there are no pipes, and the process did not start.
  if (!stdin || !stdout || !stderr) throw await ended.then(String, (error: Error) => error);
  signal.addEventListener("abort", end);
  const late = setTimeout(end, cpuSeconds * WALL_PER_CPU * 1_000);
  try {
    // It may end before it has read everything.
    stdin.on("error", () => undefined).end(packMessage(input));
    const [code, output, said] = await Promise.all([
      ended,
      beginningOf(stdout, MAX_ANSWER, end),
      beginningOf(stderr, MAX_COMPLAINT, end),
    ]);
    signal.throwIfAborted();
    if (!output.subarray(0, READY.length).equals(READY))
      throw new Error(`${name} did not start: ${said.toString().trim().slice(-1_000)}`);
    return code === 0 ? await answerIn(output.subarray(READY.length), answers) : undefined;
  } finally {
    clearTimeout(late);
    signal.removeEventListener("abort", end);
    end();
  }
}

async function answerIn<T extends TSchema>(output: Buffer, answers: T): Promise<ApartAnswer<T> | undefined> {
  const answer = unpackMessage(output, MAX_FACTS);
  const { Value } = await import("typebox/value");
  try {
    if (!answer || !Value.Check(answers, answer.facts)) return undefined;
    return { facts: answer.facts, bytes: answer.bytes };
  } catch {
    // Facts may be more than the check itself can hold.
    return undefined;
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
