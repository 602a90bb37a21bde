import type { Groups } from "./groups.ts";
import { signalGroup } from "./signals.ts";

const GIVE_UP_MS = 10_000;
const LONGEST_PAUSE_MS = 25;
/** A process may move between two groups of its run while they are signalled one after the other; it cannot each time. */
const EMPTY_SWEEPS = 3;

/** Kills every process of a run, whatever groups and sessions it has moved to. True where there may have been one. */
export function killRun(groups: Groups, run: number): boolean {
  groups.doom(run);
  return groups.of(run).filter((group) => signalGroup(group, "SIGKILL")).length > 0;
}

/** Resolves once none is left. `reap` takes dead members of a group off the process table; the run's first process must be off it already. */
export async function endRun(groups: Groups, run: number, reap: (group: number) => void): Promise<void> {
  const until = performance.now() + GIVE_UP_MS;
  let empty = 0;
  for (let round = 0; performance.now() < until; round++) {
    empty = killRun(groups, run) ? 0 : empty + 1;
    if (empty >= (groups.of(run).length > 1 ? EMPTY_SWEEPS : 1)) break;
    groups.of(run).forEach(reap);
    await new Promise((resolve) => setTimeout(resolve, Math.min(round, LONGEST_PAUSE_MS)));
  }
  groups.forget(run);
}
