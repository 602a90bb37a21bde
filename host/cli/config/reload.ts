import type { Reloaded } from "@gantry/sdk/fill";
import { ProcessLock, readRunning, servingLock } from "@gantry/sdk/node";
import { errors } from "../errors.ts";

const patienceMs = 60_000;
const lookMs = 50;

/**
 * Has the service that runs by this directory apply its file again. Throws NOT_RUNNING, and
 * RELOAD_FAILED if the configuration in force stays.
 */
export async function reloadService(configDir: string, signal?: AbortSignal): Promise<Reloaded> {
  const pid = await ProcessLock.holder(servingLock(configDir));
  const before = await readRunning(configDir);
  if (pid === undefined || !before) throw errors.NOT_RUNNING(configDir);
  process.kill(pid, "SIGHUP");
  for (const until = Date.now() + patienceMs; Date.now() < until;) {
    if (signal?.aborted) break;
    const now = await readRunning(configDir);
    if (now && now.reloads > before.reloads) {
      if (now.problem !== undefined) throw errors.RELOAD_FAILED(now.problem);
      return { applied: now.changed, needRestart: now.restart };
    }
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
  throw errors.RELOAD_FAILED(`the process ${pid} gave no answer in ${patienceMs / 1_000} s`);
}
