import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { atMost, type Row } from "./row.ts";
import { serveGateway } from "./served.ts";

const settleMs = 15_000;
const minuteMs = 60_000;

/** Measures how often an idle gateway wakes, in all its threads, and what a minute costs. */
export async function idleRows(): Promise<readonly Row[]> {
  const dir = await mkdtemp(path.join(tmpdir(), "gantry-bench-"));
  const gateway = await serveGateway({ SERVICE_CONFIG_DIR: dir });
  try {
    const pid = gateway.child.pid as number;
    await pause(settleMs);
    const before = spent(pid);
    await pause(minuteMs);
    const after = spent(pid);
    return [
      atMost("gateway: idle, wakeups a second", (after.wakeups - before.wakeups) / 60, 3, ""),
      atMost("gateway: idle, processor time a minute", after.ms - before.ms, 30, " ms"),
    ];
  } finally {
    await gateway.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

/** Reads how often the threads of a process gave up their processor, and their time on it. */
function spent(pid: number): { readonly wakeups: number; readonly ms: number } {
  const threads = readdirSync(`/proc/${pid}/task`);
  const read = (name: string): readonly string[] =>
    threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/${name}`, "utf8"));
  const wakeups = read("status").map((text) => Number(/^voluntary_ctxt_switches:\s*(\d+)/m.exec(text)?.[1]));
  return { wakeups: sum(wakeups), ms: sum(read("schedstat").map((text) => Number.parseInt(text) / 1e6)) };
}

const sum = (figures: readonly number[]): number => figures.reduce((all, one) => all + one, 0);

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
