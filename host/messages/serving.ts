import { Channels, Services, Store, type GantryError, type Service } from "@gantry/sdk";
import { allOf, MessageWorker, type RunningWorker } from "@gantry/sdk/fill";
import { errors } from "./errors.ts";
import { asError, takeServingLock, type ProcessLock } from "@gantry/sdk/node";
import { fillCure } from "../plugins/order.ts";
import type { Registry } from "../plugins/registry.ts";
import type { ClaimedMessagesDeps } from "./claimed-messages.ts";
import type { ChatWords } from "./chat-words.ts";

/** Running turns get this long when the service stops. */
const graceMs = 8_000;
/** They get this long when another configuration takes over. */
const retireMs = 600_000;

export interface ServingDeps extends ClaimedMessagesDeps {
  readonly registry: Registry;
  readonly words: ChatWords;
  readonly configDir: string;
  /** Why channels were not set up. */
  readonly lacking: readonly GantryError[];
  /** Has every plugin load what it may need later. */
  readonly prepare: () => Promise<void>;
}

/** Runs only while the host serves: the worker of messages, and the services of the plugins. */
export class Serving {
  readonly #deps: ServingDeps;
  readonly #running: Service[] = [];
  #worker: RunningWorker | undefined;
  #lock: ProcessLock | undefined;
  readonly #cut = new AbortController();

  constructor(deps: ServingDeps) {
    this.#deps = deps;
  }

  /**
   * Starts the named services, or all; a failure ends those begun. Throws what channels lack, and
   * ALREADY_RUNNING if another process serves this state; `lock` is that of the one replaced.
   */
  async start(names?: readonly string[], lock?: ProcessLock): Promise<void> {
    const { registry, lacking, configDir } = this.#deps;
    const wrong = allOf(lacking);
    if (wrong) throw wrong;
    const { STATE_UNWRITABLE } = errors;
    const held = lock ?? (await takeServingLock(configDir, STATE_UNWRITABLE, () => this.#lost()));
    try {
      await this.#deps.prepare();
      const store = registry.get(Store);
      if (store) {
        // A host in this process that makes room for this one still does its commands itself.
        if (!lock) await this.#deps.words.recover(store);
        await this.#startWorker(store);
      }
      for (const service of registry.get(Services)?.values() ?? []) {
        if (names && !service.always && !names.includes(service.name)) continue;
        this.#running.push(service);
        await service.start();
      }
      this.#lock = held;
    } catch (error) {
      await this.#end(graceMs);
      if (!lock) await held.release();
      throw error;
    }
  }

  async #startWorker(store: Store): Promise<void> {
    const { registry } = this.#deps;
    const worker = registry.get(MessageWorker);
    if (worker) {
      const { ClaimedMessages } = await import("./claimed-messages.ts");
      this.#worker = await worker.start(new ClaimedMessages(this.#deps, store));
      return;
    }
    // A channel that takes messages and never answers looks well from outside.
    if ((registry.get(Channels)?.size ?? 0) > 0)
      throw errors.MESSAGES_UNWORKED(MessageWorker.id, await fillCure(registry, MessageWorker));
  }

  /** No new work; what runs gets its time; the rest stays on disk for the next start. */
  async stop(): Promise<void> {
    this.#cut.abort();
    await this.#end(graceMs);
    await this.#lock?.release();
    this.#lock = undefined;
  }

  /** Takes no new work; a successor here gets the lock. `ended` resolves once all work ended. */
  retire(): { readonly lock: ProcessLock | undefined; readonly ended: Promise<void> } {
    const lock = this.#lock;
    this.#lock = undefined;
    return { lock, ended: this.#end(retireMs) };
  }

  async #end(ms: number): Promise<void> {
    const signal = ms === graceMs ? AbortSignal.timeout(ms) : cutBy(this.#cut.signal, ms);
    const services = this.#running.splice(0).toReversed();
    const all = [
      ...services.map((service) => service.stop(signal)),
      this.#worker?.stop(signal, this.#cut.signal),
      this.#deps.words.stop(signal),
    ];
    this.#worker = undefined;
    for (const ended of await Promise.allSettled(all)) {
      if (ended.status === "rejected")
        this.#deps.log.error(
          { err: asError(ended.reason) },
          `A service did not stop cleanly: ${asError(ended.reason).message}`,
        );
    }
  }

  /** Leaves, as the one that was away for long: two that serve would run the same turns twice. */
  #lost(): void {
    this.#deps.log.error({}, "Another process has taken the place of this service, which stops.");
    process.kill(process.pid, "SIGTERM");
  }
}

/** Aborted after so many ms, or `graceMs` after `cut`. */
function cutBy(cut: AbortSignal, ms: number): AbortSignal {
  const end = new AbortController();
  const abort = (): void => end.abort();
  const timer = setTimeout(abort, ms).unref();
  const soon = (): void => {
    clearTimeout(timer);
    setTimeout(abort, graceMs).unref();
  };
  if (cut.aborted) soon();
  else cut.addEventListener("abort", soon, { once: true });
  return end.signal;
}
