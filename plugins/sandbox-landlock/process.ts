import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import type { RunResult } from "@gantry/sdk";
import { endRun, killRun } from "./end-run.ts";
import type { Groups } from "./groups.ts";
import type { Order } from "./messages.ts";
import type { Outputs } from "./outputs.ts";

type RunOrder = Extract<Order, { do: "run" }>;

const DRAIN_MS = 1_000;

/** Thrown where a program did not start. */
export class NotStarted extends Error {}

/** What the thread gives to each run. */
export interface Surroundings {
  readonly groups: Groups;
  /** True where the referee has entered the process before it began. */
  readonly gated: boolean;
  /** Takes dead members of a group off the process table. */
  reap(group: number): void;
  /** Where pipes come from; without it they are sockets, which programs cannot open again by name. */
  readonly outputs?: Outputs;
}

/**
 * Starts a program in a session of its own and waits for the end of it and of everything it left behind; an abort ends it
 * early. Throws NotStarted.
 */
export async function runProcess(
  order: RunOrder,
  { groups, gated, reap, outputs }: Surroundings,
  signal: AbortSignal,
): Promise<RunResult> {
  const [program = "", ...args] = order.argv;
  const { child, streams } = start(program, args, order, outputs);
  const run = child.pid;
  if (run === undefined) {
    for (const stream of streams) stream.destroy();
    throw new NotStarted(await failure(child));
  }
  if (!gated) groups.add(run, run);
  const output = collect(streams, order.maxOutputBytes);
  let timedOut = false;
  const end = (): void => void killRun(groups, run);
  const timer = setTimeout(() => {
    timedOut = true;
    end();
  }, order.timeoutMs);
  signal.addEventListener("abort", end);
  const [exitCode, killedBy] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  clearTimeout(timer);
  signal.removeEventListener("abort", end);
  await endRun(groups, run, reap);
  await drained(streams);
  return { exitCode, signal: killedBy, timedOut, ...output() };
}

interface Started {
  readonly child: ChildProcess;
  /** What it writes to its output and to its error output. */
  readonly streams: readonly [Readable, Readable];
}

function start(
  program: string,
  args: readonly string[],
  { cwd, env }: RunOrder,
  outputs: Outputs | undefined,
): Started {
  const [out, error] = outputs ? [outputs.open(), outputs.open()] : [];
  try {
    const child = spawn(program, args, {
      cwd,
      env,
      detached: true,
      stdio: ["ignore", out?.write ?? "pipe", error?.write ?? "pipe"],
    });
    return { child, streams: [out?.read() ?? child.stdout!, error?.read() ?? child.stderr!] };
  } catch (reason) {
    throw new NotStarted(reason instanceof Error ? reason.message : String(reason));
  } finally {
    out?.closeWrite();
    error?.closeWrite();
  }
}

/** Resolves once both streams are at their end, or shortly after: a process of another run may have been handed one. */
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
  streams: readonly [Readable, Readable],
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

/** Bytes in one buffer that doubles, so that a program that writes byte by byte costs no more than its bytes. */
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
