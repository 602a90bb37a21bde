import { numberOf } from "./arguments.ts";
import { allProcesses, descendantsOf, signalProcess } from "./descendants.ts";
import { libcCall } from "../kernel/kernel.ts";

const TICKS_PER_SECOND = 100;
/** Processor time that may be used ahead of the clock. */
const CPU_SLACK_SECONDS = 0.2;

/** Bounds that no control group holds, so that the supervisor must; undefined if a group does. */
export interface Watched {
  readonly memoryBytes?: number;
  readonly processes?: number;
  readonly cpuPercent?: number;
}

/** The resources that the run of one confined process uses. */
interface Usage {
  readonly pids: readonly number[];
  /** Resident memory; pages that processes share count in each of them. */
  readonly residentBytes: number;
  readonly cpuSeconds: number;
}

/**
 * Returns a function that looks at the runs of some confined processes, ends the largest if memory
 * is exceeded, and holds all while they are ahead of their processor time.
 */
export function watcher(watched: Watched): (confined: readonly number[]) => void {
  let since = performance.now();
  let spent = 0;
  let before = new Map<number, number>();
  let held = false;

  return (confined) => {
    const usage = usageOf(confined);
    const all = [...usage.values()];
    const tooLarge = overMemory(all, watched.memoryBytes ?? Infinity);
    for (const pid of tooLarge?.pids ?? []) signalProcess(pid, "SIGKILL");
    if (watched.cpuPercent === undefined) return;
    for (const [one, { cpuSeconds }] of usage) spent += Math.max(0, cpuSeconds - (before.get(one) ?? 0));
    before = new Map([...usage].map(([one, { cpuSeconds }]) => [one, cpuSeconds]));
    const earned = ((performance.now() - since) / 1000) * (watched.cpuPercent / 100);
    if (spent < earned) [since, spent] = [performance.now(), 0];
    const ahead = spent > earned + CPU_SLACK_SECONDS;
    if (ahead === held && !held) return;
    held = ahead;
    for (const pid of all.flatMap(({ pids }) => pids)) signalProcess(pid, held ? "SIGSTOP" : "SIGCONT");
  };
}

/**
 * Returns the largest run if all together hold more. Before a run is ended, shared pages, which
 * cost time to tell apart, are counted once.
 */
function overMemory(all: readonly Usage[], bytes: number): Usage | undefined {
  if (total(all.map(({ residentBytes }) => residentBytes)) <= bytes) return undefined;
  const held = all.map((usage) => total(usage.pids.map(proportionalBytes)));
  return total(held) > bytes ? all[held.indexOf(Math.max(...held))] : undefined;
}

const total = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);

/**
 * Returns the memory that a process holds, with its share of shared pages; resident memory if the
 * kernel does not tell shares; 0 once it is gone.
 */
function proportionalBytes(pid: number): number {
  for (const [file, word] of [
    ["smaps_rollup", "Pss"],
    ["status", "VmRSS"],
  ] as const) {
    try {
      return numberOf(pid, file, word) * 1024;
    } catch {
      // Gone, closed to us, or of an older kernel.
    }
  }
  return 0;
}

function usageOf(confined: readonly number[]): ReadonlyMap<number, Usage> {
  const pageBytes = libcCall("getpagesize", []);
  const processes = allProcesses();
  const usage = confined.map((one): readonly [number, Usage] => {
    const pids = descendantsOf(one, processes);
    const fields = pids.map((pid) => processes.get(pid)!.map(Number));
    const sum = (take: (of: readonly number[]) => number): number =>
      fields.reduce((total, of) => total + take(of), 0);
    return [
      one,
      {
        pids,
        residentBytes: sum((of) => of[21]!) * pageBytes,
        cpuSeconds: sum((of) => of[11]! + of[12]! + of[13]! + of[14]!) / TICKS_PER_SECOND,
      },
    ];
  });
  return new Map(usage);
}
