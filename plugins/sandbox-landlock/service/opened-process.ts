import type { Socket } from "node:net";
import { PassThrough } from "node:stream";
import type { OpenProcess, RunResult } from "@gantry/sdk";
import type { ProcessEnd, ProcessPipe } from "@gantry/sdk/fill";
import type { Confinement } from "./confinement.ts";
import type { RunRequest } from "../confined/process.ts";

/** stdin, stdout, stderr. */
export const STANDARD = 3;
/** The idle time is checked this many times while it passes. */
const LOOKS = 10;
/** A program that has not ended by then is ended with the process that started it. */
const GIVE_UP_MS = 5_000;

type Reason = ProcessEnd["reason"];

export interface Opening {
  readonly confinement: Confinement;
  readonly request: Pick<RunRequest, "argv" | "cwd" | "env" | "pipes">;
  readonly signal: AbortSignal;
  readonly idleMs: number | undefined;
  readonly proxy: string | undefined;
  /** Follows its end. */
  leave(): Promise<void>;
}

/**
 * Opens a process that lives, as its owner sees it: this side of its pipes, and how it ends.
 * Resolves once it runs. Throws ConfinedFault and what the signal was aborted with; `leave` is then
 * the caller's.
 */
export async function openProcess({
  confinement,
  request,
  signal,
  idleMs,
  proxy,
  leave,
}: Opening): Promise<OpenProcess> {
  const abort = new AbortController();
  let late: NodeJS.Timeout | undefined;
  const end = (reason: Reason): void => {
    if (abort.signal.aborted) return;
    abort.abort(reason);
    late = setTimeout(() => void confinement.close(), GIVE_UP_MS).unref();
  };
  const close = (): void => end("closed");
  signal.throwIfAborted();
  signal.addEventListener("abort", close, { once: true });
  const { promise: started, resolve, reject } = Promise.withResolvers<readonly Socket[]>();
  const running = confinement.request<"run">(
    { do: "run", ...request, timeoutMs: undefined, maxOutputBytes: 0 },
    abort.signal,
    { started: resolve },
  );
  running.catch(reject);
  const sockets = await started.catch((error: unknown) => {
    signal.removeEventListener("abort", close);
    throw error;
  });
  const [input, output, error, ...pipes] = sockets.map(pipeOf);
  // Read, so that its end is noticed.
  input!.readable.resume();
  const idle = idleMs === undefined ? undefined : watchIdle(sockets, idleMs, () => end("idle"));
  const over = async (how: Partial<RunResult> | undefined): Promise<ProcessEnd> => {
    signal.removeEventListener("abort", close);
    clearTimeout(late);
    clearInterval(idle);
    await leave();
    const reason: Reason = abort.signal.aborted ? abort.signal.reason : how ? "exited" : "lost";
    // Whoever ended it reads no more; what it wrote before it ended by itself can still be read.
    if (reason !== "exited") for (const socket of sockets) socket.destroy();
    const { exitCode = null, signal: by = null, findings = [] } = how ?? {};
    return { exitCode, signal: by, findings, reason };
  };
  const ended = running
    .then(({ value }) => value)
    .catch(() => undefined)
    .then(over);
  return {
    stdin: input!.writable,
    stdout: output!.readable,
    stderr: error!.readable,
    pipes,
    proxy,
    ended,
    close() {
      end("closed");
      return ended;
    },
  };
}

/**
 * Returns both directions of one descriptor. Readers wait for the kernel to have more, and writers
 * for the process to have read.
 */
function pipeOf(socket: Socket): ProcessPipe {
  const readable = new PassThrough();
  // A process that has gone is told of by `ended`.
  socket.on("error", () => undefined);
  socket.on("close", () => readable.end());
  socket.pipe(readable);
  return { readable, writable: socket };
}

function watchIdle(sockets: readonly Socket[], idleMs: number, end: () => void): NodeJS.Timeout {
  const moved = (): number =>
    sockets.reduce((sum, socket) => sum + socket.bytesRead + socket.bytesWritten, 0);
  let [last, since] = [moved(), performance.now()];
  const look = (): void => {
    const now = moved();
    if (now !== last) [last, since] = [now, performance.now()];
    else if (performance.now() - since >= idleMs) end();
  };
  return setInterval(look, idleMs / LOOKS).unref();
}
