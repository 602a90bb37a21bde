import type { ChildProcess } from "node:child_process";
import { openSync } from "node:fs";
import { firstToGo } from "./first-to-go.ts";
import type { Surroundings } from "./process.ts";

type Ending = Omit<Surroundings, "started">;

const CLONE_NEWPID = 0x20000000;

/**
 * Makes each run the first process of a process namespace of its own: it takes all others in there
 * with it, before it counts as ended.
 */
export async function endWithNamespace(): Promise<Ending> {
  const { pipe, syscall } = await import("../kernel/kernel.ts");
  const own = openSync("/proc/self/ns/pid", "r");
  const first = firstToGo();
  return {
    pipe,
    within(start) {
      syscall("unshare", CLONE_NEWPID);
      try {
        return first(start);
      } finally {
        // Until then this process could make no thread.
        syscall("setns", own, CLONE_NEWPID);
      }
    },
    kill: (first) => void first.kill("SIGKILL"),
    end: async () => undefined,
  };
}

/** Ends, without a namespace, only what is still in the group of a run's first process. */
export async function endByGroup(isWalled: boolean): Promise<Ending> {
  const end = { kill: killGroup, end: async (first: ChildProcess) => killGroup(first) };
  if (!isWalled) return { ...end, within: (start) => start() };
  const { pipe } = await import("../kernel/kernel.ts");
  return { ...end, pipe, within: firstToGo() };
}

function killGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, "SIGKILL");
  } catch {
    // It has ended.
  }
}
