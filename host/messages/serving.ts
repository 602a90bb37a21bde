import path from "node:path";
import { errors, Services, Store, type Service } from "@gantry/sdk";
import { asError, ProcessLock } from "@gantry/sdk/node";
import { LaneWorkers, type WorkerDeps } from "./lane-workers.ts";
import type { Registry } from "../plugins/registry.ts";

/** Running turns get this long when the service stops. */
const graceMs = 8_000;

export interface ServingDeps extends Omit<WorkerDeps, "store"> {
  readonly registry: Registry;
  readonly configDir: string;
  /** Has every plugin load what it may need later. */
  readonly prepare: () => Promise<void>;
}

/** What runs only while the host serves: the lane workers, and the services of the plugins. */
export class Serving {
  readonly #deps: ServingDeps;
  readonly #running: Service[] = [];
  #workers: LaneWorkers | undefined;
  #lock: ProcessLock | undefined;

  constructor(deps: ServingDeps) {
    this.#deps = deps;
  }

  /**
   * Starts the named services, or all; on a failure what was started is stopped. Throws ALREADY_RUNNING if another process
   * serves this state, and STATE_UNWRITABLE.
   */
  async start(names?: readonly string[]): Promise<void> {
    const { registry } = this.#deps;
    this.#lock = await this.#takeLock();
    try {
      await this.#deps.prepare();
      const store = registry.get(Store);
      if (store) {
        this.#workers = new LaneWorkers({ ...this.#deps, store });
        await this.#workers.start();
      }
      for (const service of registry.get(Services)?.values() ?? []) {
        if (names && !names.includes(service.name)) continue;
        this.#running.push(service);
        await service.start();
      }
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** No new work; what runs gets its time; the rest stays on disk for the next start. */
  async stop(): Promise<void> {
    const signal = AbortSignal.timeout(graceMs);
    const services = this.#running.splice(0).toReversed();
    const all = [...services.map((service) => service.stop(signal)), this.#workers?.stop(signal)];
    for (const ended of await Promise.allSettled(all)) {
      if (ended.status === "rejected")
        this.#deps.log.error(
          { err: asError(ended.reason) },
          `A service did not stop cleanly: ${asError(ended.reason).message}`,
        );
    }
    this.#workers = undefined;
    await this.#lock?.release();
    this.#lock = undefined;
  }

  async #takeLock(): Promise<ProcessLock> {
    const { configDir } = this.#deps;
    const file = path.join(configDir, "state", "serving.lock");
    try {
      return await ProcessLock.take(file, (pid) => errors.ALREADY_RUNNING(configDir, pid));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw stateTroubles.has(code) ? errors.STATE_UNWRITABLE(path.dirname(file), code) : error;
    }
  }
}

/** What a disk or its owner answers, not the program. */
const stateTroubles: ReadonlySet<string | undefined> = new Set([
  "EACCES",
  "EDQUOT",
  "EIO",
  "EMFILE",
  "ENFILE",
  "ENOSPC",
  "ENOTDIR",
  "EPERM",
  "EROFS",
]);
