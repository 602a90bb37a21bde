// oxlint-disable unicorn/require-post-message-target-origin -- a thread has no origin
import { closeSync, openSync } from "node:fs";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { asError } from "@gantry/sdk/node";
import { syscall } from "../kernel/kernel.ts";
import { CLONE_FS } from "../kernel/mounts.ts";
import type { Move } from "../messages.ts";
import { inView } from "./mount-view.ts";
import { moveFolder } from "./move-folder.ts";
import type { FromMounter, MounterFacts, ToMounter, View } from "./view-facts.ts";

/** Mounts a view for each run by a thread of its own, one after another. */
export class Mounter {
  readonly #worker: Worker;
  readonly #workspace: string;
  #base = -1;
  /** The mounted view, with a descriptor of its mount namespace. */
  #mounted: { readonly view: View; readonly namespace: number } | undefined;

  private constructor(worker: Worker, { workspace }: MounterFacts) {
    this.#worker = worker;
    this.#workspace = workspace;
    worker.on("error", () => undefined);
    worker.unref();
  }

  /** Loads the thread; nothing can be loaded any more once the walls stand. `url`: its file. */
  static async start(url: URL, facts: MounterFacts): Promise<Mounter> {
    const worker = new Worker(url, {
      workerData: facts,
      env: {},
      execArgv: process.execArgv.filter((one) => one.startsWith("--conditions")),
      resourceLimits: { maxYoungGenerationSizeMb: 1 },
    });
    await once(worker, "message");
    return new Mounter(worker, facts);
  }

  /**
   * Mounts a view of this layer to try, in a root of its own and before rights are given up.
   * Returns why there can be none.
   */
  async enter(trial: string): Promise<string | undefined> {
    try {
      const said = await this.#ask({ enter: true });
      if ("failed" in said) return said.failed;
      syscall("unshare", CLONE_FS);
      this.#base = openSync("/proc/self/ns/mnt", "r");
      await this.mount({ id: trial, hide: [], hold: [] });
      this.within(() => undefined);
      this.leave();
      return undefined;
    } catch (error) {
      return asError(error).message;
    }
  }

  /** Mounts a view, which stays until it is left. Throws with the kernel's reason. */
  async mount(view: View): Promise<void> {
    const said = await this.#ask(view);
    if (!("namespace" in said)) throw new Error("failed" in said ? said.failed : "no view was made");
    this.#mounted = { view, namespace: said.namespace };
  }

  /** Returns what `start` returns, which it calls in the view. */
  within<T>(start: () => T): T {
    return inView(this.#mounted!.namespace, this.#base, start);
  }

  /** Moves a folder in the view. Returns 0 or an error number. */
  move({ from, to }: Move): number | undefined {
    const view = this.#mounted?.view;
    return view && this.within(() => moveFolder(this.#workspace, view, from, to));
  }

  /** Lets the mounts go, which takes the kernel a while for which nobody has to wait. */
  leave(): void {
    const mounted = this.#mounted;
    this.#mounted = undefined;
    if (mounted) setImmediate(() => closeSync(mounted.namespace));
  }

  async #ask(message: ToMounter): Promise<FromMounter> {
    this.#worker.ref();
    this.#worker.postMessage(message);
    try {
      const [said] = (await once(this.#worker, "message")) as [FromMounter];
      return said;
    } finally {
      this.#worker.unref();
    }
  }
}
