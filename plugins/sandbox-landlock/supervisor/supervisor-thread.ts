// oxlint-disable unicorn/require-post-message-target-origin -- a thread has no origin
import { closeSync, writeSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { entryBeside } from "@gantry/sdk/node";
import type { Added, FromSupervisor, Supervised, SupervisorFacts, ToSupervisor } from "./supervisor.ts";

/** The thread without walls that decides what the filters of confined processes ask. */
export class Supervisor {
  readonly #worker: Worker;
  /** Undefined once the thread has left, since its number may be that of anything by then. */
  #wake: number | undefined;
  readonly #leave = (): void => this.#send({ stop: true });
  readonly #exited: Promise<undefined>;
  /** Who waits for the answer to each `add`, in order. */
  readonly #waiting: ((added: Added | undefined) => void)[] = [];
  #settling: PromiseWithResolvers<void> | undefined;

  private constructor(worker: Worker, wake: number) {
    this.#worker = worker;
    this.#wake = wake;
    this.#exited = new Promise((resolve) =>
      worker.once("exit", () => {
        closeSync(wake);
        this.#wake = undefined;
        resolve(undefined);
      }),
    );
    worker.on("message", (message: FromSupervisor) => {
      if ("added" in message) this.#waiting.shift()?.(message.added);
      else this.#settling?.resolve();
    });
    worker.on("error", () => undefined);
    // A process must not end while the thread sits in poll(2), since joining it would take for ever.
    process.once("exit", this.#leave);
    worker.unref();
  }

  static async start(base: string, facts: SupervisorFacts): Promise<Supervisor> {
    // A small young generation keeps memory flat over many commands.
    const { url, nodeArgs } = entryBeside(base, "supervisor-worker");
    const worker = new Worker(url, {
      workerData: facts,
      env: {},
      execArgv: [...nodeArgs],
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    const { wake } = await new Promise<{ readonly wake: number }>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
    });
    return new Supervisor(worker, wake);
  }

  /** Takes over what a confined process' filter asks; undefined where the process has gone, or this thread. */
  async add(confined: Supervised): Promise<Added | undefined> {
    const added = new Promise<Added | undefined>((resolve) => this.#waiting.push(resolve));
    this.#worker.ref();
    this.#send(confined);
    try {
      return await Promise.race([added, this.#exited]);
    } finally {
      this.#worker.unref();
    }
  }

  /** Resolves once nothing goes on of what lost processes started, or a while later where it cannot be found. */
  async settled(): Promise<void> {
    const settling = (this.#settling ??= Promise.withResolvers<void>());
    this.#worker.ref();
    this.#send({ settle: true });
    try {
      await Promise.race([settling.promise, this.#exited]);
    } finally {
      this.#settling = undefined;
      this.#worker.unref();
    }
  }

  async stop(): Promise<void> {
    process.off("exit", this.#leave);
    this.#worker.ref();
    this.#leave();
    await this.#exited;
  }

  #send(message: ToSupervisor): void {
    this.#worker.postMessage(message);
    if (this.#wake === undefined) return;
    try {
      writeSync(this.#wake, "\n");
    } catch {
      // It has left by itself.
    }
  }
}
