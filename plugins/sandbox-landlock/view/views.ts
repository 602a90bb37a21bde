// oxlint-disable unicorn/require-post-message-target-origin -- a thread has no origin
import type { Worker } from "node:worker_threads";
import type { Untried } from "@gantry/sdk";
import { entryBeside } from "@gantry/sdk/node";
import type { Hearing, Outcome } from "../service/asked.ts";
import type { ConfinedProcess } from "../service/confined-process.ts";
import { ConfinedFault, ProcessLost } from "../service/failures.ts";
import { startedBy } from "../service/launch.ts";
import type { Request } from "../messages.ts";
import type { FromKeeper, KeeperFacts, ToKeeper } from "./keeper-facts.ts";
import type { Held } from "./held.ts";
import type { View } from "./view-facts.ts";

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
    const said = await views.#ask({ do: "recover" });
    views.left = "findings" in said ? said.findings : [`NOT recovered: ${failed(said)}`];
    return views;
  }

  /** Makes a layer that no run has, to be dropped. Throws why there is none. */
  async trial(): Promise<string> {
    return (await this.#begin([])).id;
  }

  async drop(id: string): Promise<void> {
    await this.#ask({ do: "drop", id });
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
        done(heldOf(await this.#ask({ do: "hold", id: view.id, result: outcome.value, ...to })));
        return outcome;
      }
      const said = await this.#ask({ do: "take", id: view.id });
      const { findings, wrote = [] } =
        "findings" in said ? said : { findings: [`not taken over: run ${view.id} (${failed(said)})`] };
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
  async held(key: string): Promise<Held | Untried | undefined> {
    return heldOf(await this.#ask({ do: "held", key }));
  }

  /** Takes over a run that waits. Throws why nothing of it was. */
  async take(id: string): Promise<Extract<FromKeeper, { readonly findings: unknown }>> {
    const said = await this.#ask({ do: "take", id });
    if ("findings" in said) return said;
    throw new Error(failed(said));
  }

  async close(): Promise<void> {
    await this.#ask({ do: "end" }).catch(() => undefined);
    await this.#worker.terminate();
  }

  /** Throws ConfinedFault. */
  async #begin(argv: readonly string[], again?: string): Promise<View> {
    const said = await this.#ask({ do: "begin", argv, again });
    if ("view" in said) return said.view;
    if ("unseen" in said) throw new ConfinedFault({ fault: "unseen", ...said.unseen });
    throw new Error(failed(said));
  }

  async #ask(message: ToKeeper): Promise<FromKeeper> {
    if (this.#broken) throw this.#broken;
    const waiting = Promise.withResolvers<FromKeeper>();
    this.#waiting.push(waiting);
    this.#worker.ref();
    this.#worker.postMessage(message);
    try {
      return await waiting.promise;
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

/** Throws what failed. */
function heldOf(said: FromKeeper): Held | Untried | undefined {
  if ("untried" in said) return said;
  if ("held" in said) return said.held;
  throw new Error(failed(said));
}

const failed = (said: FromKeeper): string => ("failed" in said ? said.failed : "no answer");
