import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { atMost, type Row } from "./row.ts";
import { serveGateway } from "./served.ts";

const settleMs = 15_000;
const minuteMs = 60_000;

/** Measures how often the loop of an idle gateway wakes, and what a minute costs. */
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

/** Reads how often the loop of a process went to sleep, and the time that all its threads had. */
function spent(pid: number): { readonly wakeups: number; readonly ms: number } {
  const read = (thread: string, name: string): string =>
    readFileSync(`/proc/${pid}/task/${thread}/${name}`, "utf8");
  const wakeups = Number(/^voluntary_ctxt_switches:\s*(\d+)/m.exec(read(String(pid), "status"))?.[1]);
  const times = readdirSync(`/proc/${pid}/task`).map((thread) => Number.parseInt(read(thread, "schedstat")));
  return { wakeups, ms: times.reduce((all, one) => all + one, 0) / 1e6 };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
