import { readFileSync, readdirSync } from "node:fs";
import { killRun } from "./end-run.ts";
import type { Groups } from "./groups.ts";
import { libcCall } from "./kernel.ts";
import { signalGroup } from "./signals.ts";

const TICKS_PER_SECOND = 100;
/** Processor time that may be used ahead of the clock. */
const CPU_SLACK_SECONDS = 0.2;

/** What no control group holds and a regular look must; undefined where a group does. */
export interface Watched {
  readonly memoryBytes?: number;
  readonly processes?: number;
  readonly cpuPercent?: number;
}

interface Usage {
  memoryBytes: number;
  processes: number;
  cpuSeconds: number;
}

/** Gives a function that looks at everything that runs, ends the largest run where memory or processes are exceeded, and holds all while they are ahead of their processor time. */
export function watcher(groups: Groups, watched: Watched): () => void {
  let since = performance.now();
  let spent = 0;
  let before = new Map<number, number>();
  let held = false;

  return () => {
    const usage = usageByRun(groups);
    const sum = (key: keyof Usage): number => [...usage.values()].reduce((total, one) => total + one[key], 0);
    for (const key of ["memoryBytes", "processes"] as const) {
      if (sum(key) <= (watched[key] ?? Infinity)) continue;
      const [largest] = [...usage].toSorted(([, a], [, b]) => b[key] - a[key])[0]!;
      killRun(groups, largest);
    }
    if (watched.cpuPercent === undefined) return;
    for (const [run, { cpuSeconds }] of usage) spent += Math.max(0, cpuSeconds - (before.get(run) ?? 0));
    before = new Map([...usage].map(([run, { cpuSeconds }]) => [run, cpuSeconds]));
    const earned = ((performance.now() - since) / 1000) * (watched.cpuPercent / 100);
    if (spent < earned) [since, spent] = [performance.now(), 0];
    const ahead = spent > earned + CPU_SLACK_SECONDS;
    if (ahead === held && !held) return;
    held = ahead;
    for (const run of usage.keys())
      for (const group of groups.of(run)) signalGroup(group, held ? "SIGSTOP" : "SIGCONT");
  };
}

function usageByRun(groups: Groups): Map<number, Usage> {
  const pageBytes = libcCall("getpagesize", []);
  const found = new Map<number, Usage>(
    groups.runs().map((run) => [run, { memoryBytes: 0, processes: 0, cpuSeconds: 0 }]),
  );
  for (const pid of readdirSync("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const fields = statOf(pid);
    const usage = fields && found.get(Math.abs(groups.runOf(Number(fields[2]))));
    if (!usage) continue;
    usage.processes += Number(fields[17]);
    usage.memoryBytes += Number(fields[21]) * pageBytes;
    usage.cpuSeconds +=
      fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
  }
  return found;
}

/** The fields after the name, which may hold anything: state, parent, group, … */
function statOf(pid: string): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}
