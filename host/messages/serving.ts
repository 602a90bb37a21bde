import path from "node:path";
import { errors, Services, Store, type Logger, type Service } from "@gantry/sdk";
import { asError, ProcessLock } from "@gantry/sdk/node";
import type { Approvals } from "../tools/approvals.ts";
import type { Inbox } from "./inbox.ts";
import { LaneWorkers } from "./lane-workers.ts";
import type { Registry } from "../plugins/registry.ts";

/** Running turns get this long when the service stops. */
const graceMs = 8_000;

export interface ServingDeps {
  readonly registry: Registry;
  readonly inbox: Inbox;
  readonly approvals: Approvals;
  readonly log: Logger;
  readonly holder: string;
  readonly configDir: string;
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

  /** Starts the named services, or all; on a failure what was started is stopped. Throws ALREADY_RUNNING where another process serves this state. */
  async start(names?: readonly string[]): Promise<void> {
    const { registry, configDir } = this.#deps;
    this.#lock = await ProcessLock.take(path.join(configDir, "state", "serving.lock"), (pid) =>
      errors.ALREADY_RUNNING(configDir, pid),
    );
    try {
      if (registry.get(Store)) {
        this.#workers = new LaneWorkers(this.#deps);
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
}
