import type { ChildProcess } from "node:child_process";
import { openSync, readSync } from "node:fs";
import { firstToGo } from "./first-to-go.ts";
import type { Surroundings } from "./process.ts";

type Ending = Omit<Surroundings, "started">;

const PAUSE_MS = 5;
const GIVE_UP_MS = 10_000;
const WNOHANG = 1;
const PR_SET_CHILD_SUBREAPER = 36;
const CLONE_NEWPID = 0x20000000;

/**
 * Each run is the first process of a process namespace of its own, and takes all others in there with it, before it counts
 * as ended.
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

/**
 * Without namespaces what a run leaves behind falls to this process, whatever groups and sessions it has moved to, so its
 * children are killed until none is left. The list of them is opened before the walls stand.
 */
export async function endByAdoption(): Promise<Ending> {
  const { libcCall, pipe, prctl } = await import("../kernel/kernel.ts");
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  // Without one of its own, Node gives its handler up with each last child, and aborts once nobody answers what that asks.
  process.on("SIGCHLD", () => undefined);
  const list = openSync(`/proc/self/task/${process.pid}/children`, "r");
  const bytes = Buffer.alloc(65_536);
  const children = (): readonly number[] =>
    bytes
      .toString("latin1", 0, readSync(list, bytes, 0, bytes.length, 0))
      .split(" ")
      .filter(Boolean)
      .map(Number);
  const kill = (): boolean => {
    const left = children();
    for (const pid of left) signal(pid);
    return left.length > 0;
  };
  const reap = (): void => {
    try {
      while (libcCall("waitpid", ["int", "void *", "int"], -1, null, WNOHANG) > 0);
    } catch {
      // There is none.
    }
  };
  return {
    pipe,
    within: firstToGo(),
    kill: () => void kill(),
    async end() {
      for (const until = performance.now() + GIVE_UP_MS; kill() && performance.now() < until;) {
        reap();
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    },
  };
}

/** Where nothing of the kernel is used: what is still in the group of its first process. */
export function endByGroup(): Ending {
  return { within: (start) => start(), kill: killGroup, end: async (first) => killGroup(first) };
}

function killGroup({ pid }: ChildProcess): void {
  signal(-pid!);
}

function signal(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
