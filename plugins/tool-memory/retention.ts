import type { Logger, Memory, Service } from "@gantry/sdk";
import { errors } from "./errors.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;

export interface RetentionConfig {
  readonly retention_days: number;
  readonly max_entries: number;
  readonly auto_delete_old_entries: boolean;
}

/** Keeps the memory within its bounds. */
export class Retention {
  readonly #memory: Memory;
  readonly #config: RetentionConfig;

  constructor(memory: Memory, config: RetentionConfig) {
    this.#memory = memory;
    this.#config = config;
  }

  /** Throws `MEMORY_FULL` where nothing may be deleted to make room. */
  async checkRoom(): Promise<void> {
    const { auto_delete_old_entries, max_entries } = this.#config;
    if (auto_delete_old_entries) return;
    const entries = await this.#memory.count();
    if (entries >= max_entries) throw errors.MEMORY_FULL(entries, max_entries);
  }

  async prune(): Promise<void> {
    const { auto_delete_old_entries, max_entries, retention_days } = this.#config;
    if (auto_delete_old_entries) await this.#memory.prune(Date.now() - retention_days * DAY, max_entries);
  }

  /** Also drops what is too old while nothing new is stored. */
  service(name: string, log: Logger): Service {
    let timer: NodeJS.Timeout | undefined;
    const prune = (): Promise<void> =>
      this.prune().catch((error: unknown) =>
        log.warn({ err: error }, "Old memories could not be deleted; this is tried again in an hour."),
      );
    return {
      name,
      async start() {
        timer = setInterval(prune, HOUR);
        timer.unref();
        await prune();
      },
      async stop() {
        clearInterval(timer);
      },
    };
  }
}
