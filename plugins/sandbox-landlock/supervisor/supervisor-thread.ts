// oxlint-disable unicorn/require-post-message-target-origin -- a thread has no origin
import { closeSync, writeSync } from "node:fs";
import type { Worker } from "node:worker_threads";
import { entryBeside } from "@gantry/sdk/node";
import { LEFT, WAKE } from "./stage.ts";
import type { Move } from "../messages.ts";
import type { FromSupervisor, Moving, Supervised, SupervisorFacts, ToSupervisor } from "./supervisor.ts";

const EXDEV = 18;
/** Milliseconds that a process which ends gives the thread to come up, and again to leave. */
const LEAVE_MS = 10_000;
/** Beyond it the thread counts as hung. */
const ANSWER_MS = 30_000;

/** Moves a folder in the view of a run; resolves to 0 or an error number. */
export type Mover = (move: Move) => Promise<number>;

/** The thread without walls that decides what the filters of confined processes ask. */
export class Supervisor {
  readonly #worker: Worker;
  readonly #stage: Int32Array;
  readonly #exited: Promise<unknown>;
  /** Callbacks for the answer to each `add`, in order. */
  readonly #waiting: ((added: boolean) => void)[] = [];
  readonly #movers = new Map<number, Mover>();
  #hasExited = false;

  /**
   * To be called as a process ends, which must not be while the thread is in a call of the
   * kernel's: one that waits would never be joined, and what any comes to cannot be told any more.
   * One that hangs takes the process with it.
   */
  readonly #leave = (): void => {
    if (Atomics.wait(this.#stage, WAKE, 0, LEAVE_MS) === "timed-out") return;
    this.#send({ stop: true });
    if (Atomics.wait(this.#stage, LEFT, 0, LEAVE_MS) === "timed-out") process.kill(process.pid, "SIGKILL");
  };

  private constructor(worker: Worker, stage: Int32Array) {
    this.#worker = worker;
    this.#stage = stage;
    this.#exited = new Promise((resolve) => worker.once("exit", resolve));
    worker.on("message", (message: FromSupervisor) => {
      if ("added" in message) this.#waiting.shift()?.(message.added);
      else if ("gone" in message) this.#movers.delete(message.gone);
      else if ("move" in message) void this.#move(message);
    });
    worker.once("exit", () => {
      process.off("exit", this.#leave);
      this.#hasExited = true;
      this.#waiting.splice(0).forEach((settle) => settle(false));
    });
    worker.on("error", () => undefined);
    process.once("exit", this.#leave);
  }

  static async start(base: string, facts: Omit<SupervisorFacts, "stage">): Promise<Supervisor> {
    // A small young generation keeps memory flat over many commands.
    const { url, nodeArgs } = entryBeside(base, "supervisor-worker");
    const stage = new Int32Array(new SharedArrayBuffer(8));
    const { Worker } = await import("node:worker_threads");
    const worker = new Worker(url, {
      workerData: { ...facts, stage } satisfies SupervisorFacts,
      env: {},
      execArgv: [...nodeArgs],
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    const supervisor = new Supervisor(worker, stage);
    await new Promise((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
    });
    worker.unref();
    return supervisor;
  }

  /**
   * Takes over the questions of a confined process' filter. Returns false if the process or this
   * thread has gone or hangs.
   */
  async add(confined: Supervised, mover?: Mover): Promise<boolean> {
    if (this.#hasExited) return false;
    if (mover) this.#movers.set(confined.pid, mover);
    const added = new Promise<boolean>((resolve) => this.#waiting.push(resolve));
    this.#send(confined);
    return (await this.#answered(added)) ?? false;
  }

  async stop(): Promise<void> {
    this.#send({ stop: true });
    await this.#answered(this.#exited);
    const wake = this.#hasExited ? Atomics.exchange(this.#stage, WAKE, 0) : 0;
    if (wake !== 0) closeSync(wake);
  }

  async #move({ pid, id, move }: Moving & { readonly move: Move }): Promise<void> {
    const errno = (await this.#movers.get(pid)?.(move)) ?? EXDEV;
    this.#send({ pid, id, errno });
  }

  /** Resolves to undefined if the thread hangs. */
  async #answered<T>(answer: Promise<T>): Promise<T | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>(
      (resolve) => (timer = setTimeout(() => resolve(undefined), ANSWER_MS)),
    );
    this.#worker.ref();
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
      this.#worker.unref();
    }
  }

  /**
   * Sends a message, and wakes the thread only while its descriptor is open: later that may be
   * somebody else's.
   */
  #send(message: ToSupervisor): void {
    const wake = Atomics.load(this.#stage, WAKE);
    this.#worker.postMessage(message);
    try {
      if (wake !== 0) writeSync(wake, "\n");
    } catch {
      // It has left by itself.
    }
  }
}
