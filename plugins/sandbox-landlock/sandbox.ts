// oxlint-disable unicorn/require-post-message-target-origin -- a thread has no origin
import type { Worker } from "node:worker_threads";
import { endRun, killRun } from "./end-run.ts";
import { Groups } from "./groups.ts";
import type { Answers, FileFault, FromThread, Order, ThreadFacts, WallFacts } from "./messages.ts";
import { Referee } from "./referee-thread.ts";
import type { RefereeFacts } from "./referee.ts";
import { reply, startWorker } from "./worker.ts";

export interface SandboxOptions {
  /** The address of the file beside which the workers stand. */
  readonly base: string;
  /** Undefined: a thread without walls. */
  readonly walls?: WallFacts & Pick<RefereeFacts, "limits" | "cgroups" | "watched">;
  /** Words that stand before every program. */
  readonly prefix?: readonly string[];
}

/** A fault that the thread told of, still without its error code. */
export class ThreadFault extends Error {
  readonly fault: FileFault;
  constructor(fault: FileFault) {
    super(fault.fault);
    this.fault = fault;
  }
}

/** Thrown where the walls cannot be built, with the reason. */
export class NoWalls extends Error {}

interface Pending {
  resolve(value: Answers[keyof Answers]): void;
  reject(error: Error): void;
}

const STUCK_MS = 1_000;

/** One thread behind one set of walls, with its referee; lives until it is closed. */
export class Sandbox {
  readonly abi: number;
  readonly #thread: Worker;
  readonly #groups: Groups;
  readonly #proxy: Int32Array;
  readonly #stopReferee: () => Promise<unknown>;
  readonly #pending = new Map<number, Pending>();
  /** File operations that were given up and have not come back, with the time. */
  readonly #stuck = new Map<number, number>();
  #last = 0;
  #broken: Error | undefined;

  private constructor(thread: Worker, groups: Groups, proxy: Int32Array, abi: number, referee?: Referee) {
    this.abi = abi;
    this.#thread = thread;
    this.#groups = groups;
    this.#proxy = proxy;
    this.#stopReferee = referee?.stop ?? (async () => undefined);
    thread.on("message", (message: FromThread) => this.#settle(message));
    for (const worker of [thread, ...(referee ? [referee.worker] : [])]) {
      worker.on("error", (error) => this.#break(error));
      worker.on("exit", () => this.#break(new Error("one of its threads ended")));
    }
    thread.unref();
  }

  /** Throws NoWalls where they were asked for and cannot be built. */
  static async start(options: SandboxOptions): Promise<Sandbox> {
    const memory = Groups.memory();
    const proxy = new Int32Array(new SharedArrayBuffer(4));
    const { base, walls, prefix = [] } = options;
    if (walls && process.platform !== "linux") throw new NoWalls("this system is not Linux");
    const thread = startWorker(base, "walled-worker", {
      walls: walls && wallFacts(walls),
      prefix,
      groups: memory,
    } satisfies ThreadFacts);
    if (!walls) {
      thread.postMessage({});
      return new Sandbox(thread, new Groups(memory), proxy, 0);
    }
    const { write, limits, cgroups, watched } = walls;
    const referee = new Referee(base, { groups: memory, write, limits, cgroups, watched, proxy });
    try {
      const { abi, listener } = await built(thread);
      const ledger = await referee.judge(listener);
      thread.postMessage({ ledger });
      return new Sandbox(thread, new Groups(memory, ledger), proxy, abi, referee);
    } catch (error) {
      await Promise.all([thread.terminate(), referee.stop()]);
      throw error;
    }
  }

  /** False where it broke, or where a file operation that was given up still holds the thread. */
  get usable(): boolean {
    return (
      this.#broken === undefined &&
      [...this.#stuck.values()].every((since) => performance.now() - since < STUCK_MS)
    );
  }

  /** Lets started processes connect to this port of loopback, where the walls have a gate for it. */
  openProxy(port: number): void {
    Atomics.store(this.#proxy, 0, port);
  }

  /** Throws ThreadFault, and the signal's reason where it is aborted. */
  async order<K extends Order["do"]>(
    order: Extract<Order, { do: K }>,
    signal: AbortSignal,
  ): Promise<Answers[K]> {
    signal.throwIfAborted();
    if (this.#broken) throw this.#broken;
    const id = ++this.#last;
    const abort = (): void => {
      this.#thread.postMessage({ id, abort: true });
      if (order.do === "run") return;
      this.#stuck.set(id, performance.now());
      this.#settleWith(id, (pending) => pending.reject(signal.reason));
    };
    signal.addEventListener("abort", abort, { once: true });
    try {
      return await new Promise<Answers[K]>((resolve, reject) => {
        this.#pending.set(id, { resolve: resolve as Pending["resolve"], reject });
        this.#thread.ref();
        this.#thread.postMessage({ id, order });
      });
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  /** Ends every process and both threads. */
  async close(): Promise<void> {
    this.#break(new Error("the sandbox is closed"));
    await Promise.all(this.#groups.runs().map((run) => endRun(this.#groups, run, () => undefined)));
    await this.#thread.terminate();
    await this.#stopReferee();
  }

  #settle(message: FromThread): void {
    this.#stuck.delete(message.id);
    this.#settleWith(message.id, (pending) =>
      "fault" in message ? pending.reject(new ThreadFault(message.fault)) : pending.resolve(message.value),
    );
  }

  #settleWith(id: number, settle: (pending: Pending) => void): void {
    const pending = this.#pending.get(id);
    if (!this.#pending.delete(id)) return;
    if (this.#pending.size === 0) this.#thread.unref();
    settle(pending!);
  }

  #break(error: Error): void {
    this.#broken ??= error;
    for (const run of this.#groups.runs()) killRun(this.#groups, run);
    for (const id of this.#pending.keys()) this.#settleWith(id, (pending) => pending.reject(error));
  }
}

/** Only what a thread can be sent. */
function wallFacts({ read, write, tcp, abiCap }: WallFacts): WallFacts {
  return { read, write, tcp, ...(abiCap !== undefined && { abiCap }) };
}

async function built(thread: Worker): Promise<{ readonly abi: number; readonly listener: number }> {
  const answer = await reply<{ abi: number; listener: number } | { absent: string }>(thread);
  if ("absent" in answer) throw new NoWalls(answer.absent);
  return answer;
}
