import { setTimeout } from "node:timers/promises";
import { errors as shared, type Logger } from "@gantry/sdk";
import type { Database } from "./database.ts";

/** Less than the 30 s that a plugin may prepare for. */
const patienceMs = 25_000;
const againMs = 500;

/**
 * Waits for a database that comes later than the service, as when both start together; throws its
 * last failure after 25 s.
 */
export async function awaitDatabase(
  db: Database,
  { log, signal }: { readonly log: Logger; readonly signal: AbortSignal },
): Promise<void> {
  const begun = performance.now();
  for (let isTold = false; ; isTold = true) {
    try {
      await db.rows("SELECT 1");
      return;
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      const isLate = performance.now() - begun > patienceMs;
      if (code !== shared.STORE_FAILED.code || isLate || signal.aborted) throw error;
      if (!isTold) log.warn({}, `The service waits for its database: ${message}`);
      await setTimeout(againMs, undefined, { signal });
    }
  }
}
