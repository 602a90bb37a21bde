import type { Audit, CheckRow, Logger, Memory, Service, Values } from "@gantry/sdk";
import { clockHold, judgeClock, type ClockHold } from "../shared/clock-hold.ts";
import { errors } from "./errors.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;

export interface RetentionConfig {
  readonly retention_days: number;
  readonly max_entries: number;
  readonly auto_delete_old_entries: boolean;
}

export interface RetentionNeeds {
  readonly memory: Memory;
  readonly values: Values;
  readonly audit: Audit;
  readonly log: Logger;
}

/** Keeps the memory within its bounds. */
export class Retention {
  readonly #needs: RetentionNeeds;
  readonly #config: RetentionConfig;

  constructor(needs: RetentionNeeds, config: RetentionConfig) {
    this.#needs = needs;
    this.#config = config;
  }

  /** Throws `MEMORY_FULL` where nothing may be deleted to make room. */
  async checkRoom(): Promise<void> {
    const { auto_delete_old_entries, max_entries } = this.#config;
    if (auto_delete_old_entries) return;
    const entries = await this.#needs.memory.count();
    if (entries >= max_entries) throw errors.MEMORY_FULL(entries, max_entries);
  }

  /** Deletes what is too many, and, unless the clock is far ahead of the store, what is too old. */
  async prune(): Promise<void> {
    if (this.#config.auto_delete_old_entries) await this.#prune(await this.#isHeld());
  }

  /** Deletes what is too old or too many, whatever the clock was; returns how many that were. */
  async pruneNow(): Promise<number> {
    await this.#needs.values.put(clockHold.space, clockHold.key, { at: Date.now() });
    return this.#prune(false);
  }

  /** Says that nothing is deleted by its age, and until when. */
  async rows(): Promise<readonly CheckRow[]> {
    const { heldSince } = (await this.#hold()) ?? {};
    if (heldSince === undefined || Date.now() - heldSince >= DAY) return [];
    const until = new Date(heldSince + DAY).toISOString();
    const detail = `the clock is more than 7 days ahead of the store, so nothing is deleted by its age before ${until}`;
    const cure = "Set the clock right; if it is right: `gantry memory prune --yes`.";
    return [{ what: "retention", state: "warn", detail, cure }];
  }

  /** Also drops what is too old while nothing new is stored. */
  service(name: string): Service {
    const { log } = this.#needs;
    let timer: NodeJS.Timeout | undefined;
    const prune = async (): Promise<void> => {
      try {
        await this.prune();
        for (const { detail, cure } of await this.rows()) log.warn({}, `Retention waits: ${detail}. ${cure}`);
      } catch (error) {
        const again = "Old memories could not be deleted; this is tried again in an hour.";
        log.warn({ err: error as Error }, again);
      }
    };
    return {
      name,
      always: true,
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

  async #prune(isHeld: boolean): Promise<number> {
    const { memory, audit, log } = this.#needs;
    const { max_entries, retention_days } = this.#config;
    const count = await memory.prune(isHeld ? 0 : Date.now() - retention_days * DAY, max_entries);
    if (count === 0) return 0;
    log.info({ memories: count }, `Deleted by age or number: memories ${count}.`);
    const args = { memories: count };
    const record = { event_type: "retention", tool: "", args, result: "deleted" } as const;
    await audit.record({ ...record, user: "service", session_id: "" });
    return count;
  }

  /**
   * Notes the time of this look. If none was noted before, nothing is known of the clock, and a day
   * passes first.
   */
  async #isHeld(): Promise<boolean> {
    const now = Date.now();
    const hold = judgeClock((await this.#hold()) ?? { at: now, heldSince: now }, now);
    await this.#needs.values.put(clockHold.space, clockHold.key, { ...hold });
    return hold.heldSince !== undefined;
  }

  #hold(): Promise<ClockHold | undefined> {
    return this.#needs.values.get<ClockHold & Record<string, number>>(clockHold.space, clockHold.key);
  }
}
