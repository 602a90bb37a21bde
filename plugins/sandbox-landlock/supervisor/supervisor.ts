import { type Decision, type SyscallRequest, processOf } from "./arguments.ts";
import { signalProcess } from "./descendants.ts";
import { startCalls, viewCalls } from "../kernel/call-lists.ts";
import { KernelError, libcCall, machine, sessionOf, struct } from "../kernel/kernel.ts";
import type { Move } from "../messages.ts";
import type { GroupFacts } from "./groups.ts";
import { connectSocket, listenSocket } from "./sockets.ts";
import type { ProcessBudget } from "./process-budget.ts";
import type { OwnFolders } from "./in-root.ts";
import { judgeInView } from "./renames.ts";
import { letCallsRestart } from "./restarting.ts";
import { type Syscall, syscallNumber } from "../kernel/syscalls.ts";
import type { Watched } from "./watch.ts";

const EPERM = 1;
const EAGAIN = 11;

/** For prlimit(2). */
export type ResourceLimit = readonly [resource: number, value: number];

/** The limits on what runs may use. */
export interface Bounds {
  /** For each confined process, from which its runs have them. */
  readonly limits: readonly ResourceLimit[];
  /** For each run: what a confined process could not work under itself. */
  readonly runLimits: readonly ResourceLimit[];
  readonly groups: GroupFacts;
  readonly watched: Watched;
}

export interface SupervisorFacts {
  /** See `stage.ts`. */
  readonly stage: Int32Array;
  readonly bounds: Bounds;
  /** The proxy's port on loopback; 0 means none. */
  readonly proxy: Int32Array;
  /** The number of runs. */
  readonly running: Int32Array;
}

/** A question that a confined process answers; `id`: the kernel's name of the question. */
export interface Moving {
  readonly pid: number;
  readonly id: bigint;
}

export type ToSupervisor = Supervised | (Moving & { readonly errno: number }) | { readonly stop: true };
export type FromSupervisor =
  | { readonly up: true }
  /** False if the process has gone meanwhile. */
  | { readonly added: boolean }
  | (Moving & { readonly move: Move })
  /** Nothing is asked by it any more. */
  | { readonly gone: number };

export interface Supervised {
  readonly pid: number;
  /** The descriptor, in its table, on which its filter asks. */
  readonly listener: number;
  readonly own: OwnFolders;
}

const number = (name: Syscall): number => syscallNumber(machine!, name) ?? -1;

/**
 * Decides what one confined process and its run ask (`struct seccomp_notif`). Never throws: what
 * goes wrong is a no.
 */
export function supervise(
  facts: SupervisorFacts,
  { pid: confined, own }: Pick<Supervised, "pid" | "own">,
  budget: ProcessBudget | undefined,
): (notification: DataView, asker: Pick<SyscallRequest, "check" | "place">) => Decision {
  const judges = new Map<number, (request: SyscallRequest) => Decision>([
    [number("setsid"), admit],
    [number("connect"), (request) => connectSocket(request, own, Atomics.load(facts.proxy, 0))],
    [number("listen"), listenSocket],
    ...startCalls.map((name) => [number(name), start] as const),
    [number("rt_sigaction"), letCallsRestart],
    ...viewCalls.map(
      (name) => [number(name), (request: SyscallRequest) => judgeInView(name, confined, request)] as const,
    ),
  ]);

  /** Decides on the first thing that a run's first process does, before any program of it runs. */
  function admit({ thread, check }: SyscallRequest): Decision {
    const isFirst = sessionOf(thread) === sessionOf(confined);
    // The next step may end the process, so it must not be a stranger who has its number by now.
    check();
    if (!isFirst) return "continue";
    try {
      limit(thread, facts.bounds.runLimits);
      return "continue";
    } catch {
      // Without its limits it does not start.
      signalProcess(thread, "SIGKILL");
      return EPERM;
    }
  }

  /**
   * Decides on a new process or thread: what a confined process needs for itself comes before its
   * run's budget.
   */
  function start({ thread }: SyscallRequest): Decision {
    return !budget || budget.take() || processOf(thread) === confined ? "continue" : EAGAIN;
  }

  return (notification, asker) => {
    const thread = notification.getUint32(8, true);
    const args = [0, 1, 2, 3, 4, 5].map((i) => notification.getBigUint64(32 + i * 8, true));
    try {
      return judges.get(notification.getInt32(16, true))?.({ thread, args, ...asker }) ?? EPERM;
    } catch (error) {
      return error instanceof KernelError ? error.errno : EPERM;
    }
  };
}

/** Throws KernelError. */
export function limit(pid: number, limits: readonly ResourceLimit[]): void {
  const types = ["int", "int", "void *", "void *"];
  for (const [resource, value] of limits)
    libcCall("prlimit", types, pid, resource, struct([8, value], [8, value]), null);
}
