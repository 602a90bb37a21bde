// oxlint-disable unicorn/require-post-message-target-origin -- a thread has no origin
import type { Worker } from "node:worker_threads";
import type { Untried } from "@gantry/sdk";
import { asError, entryBeside } from "@gantry/sdk/node";
import type { Hearing, Outcome } from "../service/asked.ts";
import type { ConfinedProcess } from "../service/confined-process.ts";
import { ConfinedFault, ProcessLost } from "../service/failures.ts";
import { startedBy } from "../service/launch.ts";
import type { Request } from "../messages.ts";
import type { Keeper, TakenOver } from "./keeper.ts";
import type { KeeperFacts } from "./keeper-facts.ts";
import type { Held } from "./held.ts";
import type { View } from "./view-facts.ts";

/** A call of the thread that keeps layers; calls are answered in their order. */
export interface ToKeeper<K extends Asked = Asked> {
  readonly do: K;
  readonly with: Parameters<Keeper[K]>;
}

type Asked = "recover" | "begin" | "plan" | "take" | "drop" | "hold" | "held" | "end";

export type FromKeeper = { readonly value: unknown } | { readonly failed: string };

/** The views of a workspace's runs, whose layers a thread of the service keeps. */
export class Views {
  /** The folder of the layers. */
  readonly folder: string;
  left: readonly string[] = [];
  readonly #worker: Worker;
  /** The promises of the answer to each request, in order. */
  readonly #waiting: PromiseWithResolvers<FromKeeper>[] = [];
  /** The last run of each process. */
  readonly #last = new WeakMap<ConfinedProcess, string>();
  /** The taking over that is under way. */
  #taking: Promise<unknown> = Promise.resolve();
  #broken: Error | undefined;

  private constructor(folder: string, worker: Worker) {
    this.folder = folder;
    this.#worker = worker;
    worker.on("message", (message: FromKeeper) => this.#waiting.shift()?.resolve(message));
    worker.on("error", (error) => this.#break(error));
    worker.once("exit", () => this.#break(new Error("the thread that keeps the layers of runs has ended")));
    worker.unref();
  }

  /**
   * Looks after what earlier services left first; `left` has a phrase for what of that a person
   * should know. `base`: the address of the file beside which the entry stands.
   */
  static async start(base: string, facts: KeeperFacts): Promise<Views> {
    const { url, nodeArgs } = entryBeside(base, "view-worker");
    const { Worker } = await import("node:worker_threads");
    const worker = new Worker(url, { workerData: facts, env: {}, execArgv: [...nodeArgs] });
    const views = new Views(facts.runs, worker);
    views.left = await views
      .#ask("recover")
      .catch((error: unknown) => [`NOT recovered: ${asError(error).message}`]);
    return views;
  }

  /** Makes a layer that no run has, to be dropped. Throws why there is none. */
  async trial(): Promise<string> {
    return (await this.#begin([])).id;
  }

  async drop(id: string): Promise<void> {
    await this.#ask("drop", id);
  }

  /**
   * Runs a command in a view of its own, and takes over what it left, whether it ended by itself or
   * was stopped. Of one that was lost nothing is. One that is to be held is not taken over, but
   * waits for {@link take} or {@link drop}.
   */
  async run(
    process: ConfinedProcess,
    request: Extract<Request, { do: "run" }>,
    signal: AbortSignal,
    hearing: Hearing | undefined,
  ): Promise<Outcome<"run">> {
    const view = await this.#begin(request.argv, this.#last.get(process));
    this.#last.set(process, view.id);
    try {
      const outcome = await process.request<"run">({ ...request, view }, signal, hearing);
      await mustBeAlone(process);
      if (hearing?.hold) {
        const { done, ...to } = hearing.hold;
        done(await this.#ask("hold", view.id, outcome.value, to));
        return outcome;
      }
      const { findings, wrote } = await this.take(view.id, hearing?.wrote).catch((error: unknown) => ({
        findings: [`not taken over: run ${view.id} (${asError(error).message})`],
        wrote: [],
      }));
      const { value } = outcome;
      return { ...outcome, value: { ...value, findings: [...(value.findings ?? []), ...findings], wrote } };
    } catch (error) {
      // A decision is not lost with this: it is carried out at the next start.
      await this.drop(view.id);
      throw error;
    }
  }

  /**
   * Returns the run that a service which has gone held under a key; undefined if there is none and
   * one more may wait.
   */
  held(key: string): Promise<Held | Untried | undefined> {
    return this.#ask("held", key);
  }

  /**
   * Takes over a run, one after another. `noted`: called before any of it is in the workspace with
   * what will have been written. Throws why nothing was taken over.
   */
  take(id: string, noted: Hearing["wrote"]): Promise<TakenOver> {
    const taken = this.#taking.then(() => this.#take(id, noted));
    this.#taking = taken.catch(() => undefined);
    return taken;
  }

  async close(): Promise<void> {
    await this.#ask("end").catch(() => undefined);
    await this.#worker.terminate();
  }

  async #take(id: string, noted: Hearing["wrote"]): Promise<TakenOver> {
    const planned = await this.#ask("plan", id);
    if ("findings" in planned) return planned;
    try {
      await noted?.(planned.wrote);
    } catch (error) {
      await this.drop(id);
      throw error;
    }
    return this.#ask("take", id);
  }

  /** Throws ConfinedFault. */
  async #begin(argv: readonly string[], again?: string): Promise<View> {
    const said = await this.#ask("begin", argv, again);
    if ("view" in said) return said.view;
    throw new ConfinedFault({ fault: "unseen", ...said.unseen });
  }

  /** Throws what the thread could not do. */
  async #ask<K extends ToKeeper["do"]>(
    name: K,
    ...given: Parameters<Keeper[K]>
  ): Promise<Awaited<ReturnType<Keeper[K]>>> {
    if (this.#broken) throw this.#broken;
    const waiting = Promise.withResolvers<FromKeeper>();
    this.#waiting.push(waiting);
    this.#worker.ref();
    this.#worker.postMessage({ do: name, with: given } satisfies ToKeeper<K>);
    try {
      const said = await waiting.promise;
      if ("failed" in said) throw new Error(said.failed);
      return said.value as Awaited<ReturnType<Keeper[K]>>;
    } finally {
      if (this.#waiting.length === 0) this.#worker.unref();
    }
  }

  #break(error: Error): void {
    this.#broken = error;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

/**
 * Throws ProcessLost for a process that says that its run is over, and has something running: it
 * was taken over.
 */
async function mustBeAlone(process: ConfinedProcess): Promise<void> {
  if (startedBy(process.pid).length === 0) return;
  await process.close();
  throw new ProcessLost();
}
