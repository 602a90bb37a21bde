import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import type { RunResult } from "@gantry/sdk";
import { asError } from "@gantry/sdk/node";
import { FIRST_PIPE, type Request } from "../messages.ts";

export type RunRequest = Extract<Request, { do: "run" }>;

const DRAIN_MS = 1_000;

/** Thrown if a program did not start. */
export class NotStarted extends Error {}

/** Services that the confined process gives to its run. */
export interface Surroundings {
  /** Starts what is to be the run's first process. */
  within<T>(start: () => T): T;
  /** Kills the first process, and with it what it started. */
  kill(first: ChildProcess): void;
  /** Resolves once no process of the run is left; its first one has ended. */
  end(first: ChildProcess): Promise<void>;
  /** Makes a pipe; without it outputs are sockets, which programs cannot open again by name. */
  pipe?(): readonly [read: number, write: number];
  /** Called once a program with pipes runs. */
  started(): void;
}

/**
 * Starts a program in a session of its own and waits for the end of it and of everything it left
 * behind; an abort ends it early. Throws NotStarted.
 */
export async function runProcess(
  request: RunRequest,
  { within, kill, end, pipe, started }: Surroundings,
  signal: AbortSignal,
): Promise<RunResult> {
  const { child, streams } = start(request, within, pipe);
  if (child.pid === undefined) {
    for (const stream of streams) stream.destroy();
    throw new NotStarted(await failure(child));
  }
  if (request.pipes !== undefined) started();
  const output = collect(streams, request.maxOutputBytes);
  let timedOut = false;
  const stop = (): void => kill(child);
  const late = (): void => {
    timedOut = true;
    stop();
  };
  const timer = request.timeoutMs === undefined ? undefined : setTimeout(late, request.timeoutMs);
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  const [exitCode, killedBy] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  clearTimeout(timer);
  signal.removeEventListener("abort", stop);
  await end(child);
  await drained(streams);
  return { exitCode, signal: killedBy, timedOut, ...output() };
}

interface Started {
  readonly child: ChildProcess;
  /** Its output and its error output. */
  readonly streams: readonly Readable[];
}

function start(request: RunRequest, within: Surroundings["within"], pipe: Surroundings["pipe"]): Started {
  if (request.pipes !== undefined) {
    // They come from the service and are handed on, so that no byte of them passes through here.
    const handed = Array.from({ length: request.pipes }, (_, i) => FIRST_PIPE + i);
    return { child: spawned(request, within, handed, handed), streams: [] };
  }
  if (!pipe) {
    const child = spawned(request, within, ["ignore", "pipe", "pipe"]);
    return { child, streams: [child.stdout!, child.stderr!] };
  }
  const pipes = [pipe(), pipe()];
  // A stream ends with the last writer of its pipe, also when nothing is started.
  const streams = pipes.map(([fd]) => new Socket({ fd, readable: true, writable: false }));
  const writes = pipes.map(([, write]) => write);
  return { child: spawned(request, within, ["ignore", ...writes], writes), streams };
}

/** Starts the program, which alone keeps the descriptors of `given`. Throws NotStarted. */
function spawned(
  { argv: [program = "", ...args], cwd, env }: RunRequest,
  within: Surroundings["within"],
  stdio: StdioOptions,
  given: readonly number[] = [],
): ChildProcess {
  try {
    return within(() => spawn(program, args, { cwd, env, detached: true, stdio }));
  } catch (reason) {
    throw new NotStarted(asError(reason).message);
  } finally {
    for (const fd of given) closeSync(fd);
  }
}

/**
 * Resolves once both streams are at their end, or shortly after: what holds one open may not be a
 * process of ours.
 */
async function drained(streams: readonly Readable[]): Promise<void> {
  const timer = setTimeout(() => streams.forEach((stream) => stream.destroy()), DRAIN_MS);
  await Promise.all(streams.map((stream) => stream.closed || once(stream, "close")));
  clearTimeout(timer);
}

async function failure(child: ChildProcess): Promise<string> {
  const error = await new Promise<NodeJS.ErrnoException>((resolve) => child.once("error", resolve));
  return error.code ?? error.message;
}

/** Keeps at most `limit` bytes of both streams together, counts the rest. */
function collect(
  streams: readonly Readable[],
  limit: number,
): () => Pick<RunResult, "stdout" | "stderr" | "droppedBytes"> {
  let room = limit;
  let droppedBytes = 0;
  const kept = [new Kept(), new Kept()] as const;
  streams.forEach((stream, i) =>
    stream.on("data", (chunk: Buffer) => {
      const taken = Math.min(room, chunk.length);
      room -= taken;
      droppedBytes += chunk.length - taken;
      kept[i]!.add(chunk.subarray(0, taken));
    }),
  );
  return () => ({ stdout: kept[0].text(), stderr: kept[1].text(), droppedBytes });
}

/**
 * Bytes in one buffer that doubles, so that a program that writes byte by byte costs no more than
 * its bytes.
 */
class Kept {
  #bytes = Buffer.alloc(0);
  #length = 0;

  add(chunk: Buffer): void {
    const needed = this.#length + chunk.length;
    if (needed > this.#bytes.length)
      this.#bytes = Buffer.concat([this.#bytes], Math.max(needed, this.#bytes.length * 2));
    chunk.copy(this.#bytes, this.#length);
    this.#length = needed;
  }

  text(): string {
    return this.#bytes.toString("utf8", 0, this.#length);
  }
}
