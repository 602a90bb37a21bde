import { writeFileSync } from "node:fs";
import { type Answer, type Asked, int, processOf } from "./arguments.ts";
import { metadataCalls, signalCalls } from "./filter.ts";
import type { Groups } from "./groups.ts";
import { KernelError, groupOf, libcCall, machine, sessionOf, struct } from "./kernel.ts";
import { changeMetadata } from "./metadata.ts";
import { connectSocket, listenSocket } from "./sockets.ts";
import { signalProcess } from "./signals.ts";
import { type Syscall, syscallNumber } from "./syscalls.ts";
import type { Watched } from "./watch.ts";

const EPERM = 1;

export interface RefereeFacts {
  readonly groups: SharedArrayBuffer;
  /** Real paths beneath which files may change. */
  readonly write: readonly string[];
  /** [resource, value] for prlimit(2). */
  readonly limits: readonly (readonly [number, number])[];
  /** Files of control groups that a new process is written to. */
  readonly cgroups: readonly string[];
  readonly watched: Watched;
  /** The proxy's port on loopback; 0 means none. */
  readonly proxy: Int32Array;
}

const number = (name: Syscall): number => syscallNumber(machine!, name) ?? -1;

/** Answers one question (`struct seccomp_notif`). Never throws: what goes wrong is a no. */
export function referee(
  facts: RefereeFacts,
  groups: Groups,
): (question: DataView, check: () => void) => Answer {
  const service = sessionOf(0);
  const judges = new Map<number, (asked: Asked) => Answer>([
    [number("setsid"), lead],
    [number("setpgid"), newGroup],
    [number("connect"), (asked) => connectSocket(asked, facts.write, Atomics.load(facts.proxy, 0))],
    [number("listen"), listenSocket],
    ...metadataCalls.map(
      (name) => [number(name), (asked: Asked) => changeMetadata(name, asked, facts.write)] as const,
    ),
    ...signalCalls.map((name) => [number(name), (asked: Asked) => signal(name, asked)] as const),
  ]);

  function lead(asked: Asked): Answer {
    const isNew = sessionOf(asked.thread) === service;
    // What follows may end it, so it must not be a stranger who has its number by now.
    asked.check();
    return isNew ? admit(asked.thread) : newSession(asked);
  }

  /** The first thing a new process does, before any program of it runs: here it gets its limits. */
  function admit(pid: number): Answer {
    try {
      for (const file of facts.cgroups) writeFileSync(file, String(pid));
      for (const [resource, value] of facts.limits) {
        libcCall(
          "prlimit",
          ["int", "int", "void *", "void *"],
          pid,
          resource,
          struct([8, value], [8, value]),
          null,
        );
      }
      if (groups.add(pid, pid)) return "continue";
    } catch {
      // Without its limits it does not start.
    }
    signalProcess(pid, "SIGKILL");
    return EPERM;
  }

  function runOf(pid: number): number {
    return groups.runOf(groupOf(pid));
  }

  function newSession({ thread }: Asked): Answer {
    const run = runOf(thread);
    // What outlived its run leads no further.
    if (run === 0) signalProcess(processOf(thread), "SIGKILL");
    return groups.add(processOf(thread), run) ? "continue" : EPERM;
  }

  function newGroup({ thread, args }: Asked): Answer {
    const member = int(args[0]) || processOf(thread);
    const group = int(args[1]) || member;
    const run = runOf(thread);
    if (run <= 0 || runOf(member) !== run) return EPERM;
    if (group !== member) return groups.runOf(group) === run ? "continue" : EPERM;
    return groups.add(group, run) ? "continue" : EPERM;
  }

  function signal(name: Syscall, { thread, args }: Asked): Answer {
    if (sessionOf(thread) === service) return "continue";
    const target = int(args[0]);
    if (target === -1) return EPERM;
    if (target === 0) return "continue";
    const run = target < 0 ? groups.runOf(-target) : runOf(name === "tkill" ? target : processOf(target));
    return run !== 0 && run === runOf(thread) ? "continue" : EPERM;
  }

  return (question, check) => {
    const thread = question.getUint32(8, true);
    const args = [0, 1, 2, 3, 4, 5].map((i) => question.getBigUint64(32 + i * 8, true));
    try {
      return judges.get(question.getInt32(16, true))?.({ thread, args, check }) ?? EPERM;
    } catch (error) {
      return error instanceof KernelError ? error.errno : EPERM;
    }
  };
}
