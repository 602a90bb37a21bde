import type { Decision, SyscallRequest } from "./arguments.ts";
import { viewCalls } from "../kernel/call-lists.ts";
import { KernelError, libcCall, machine, struct } from "../kernel/kernel.ts";
import type { Move } from "../messages.ts";
import type { GroupFacts } from "./groups.ts";
import { connectSocket, listenSocket } from "./sockets.ts";
import type { OwnFolders } from "./in-root.ts";
import { judgeInView } from "./renames.ts";
import { type Syscall, syscallNumber } from "../kernel/syscalls.ts";

const EPERM = 1;

/** For prlimit(2). */
export type ResourceLimit = readonly [resource: number, value: number];

export interface SupervisorFacts {
  /** See `stage.ts`. */
  readonly stage: Int32Array;
  readonly groups: GroupFacts;
  /** The proxy's port on loopback; 0 means none. */
  readonly proxy: Int32Array;
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
  readonly limits: readonly ResourceLimit[];
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
): (notification: DataView, asker: Pick<SyscallRequest, "check" | "place">) => Decision {
  const judges = new Map<number, (request: SyscallRequest) => Decision>([
    [number("connect"), (request) => connectSocket(request, own, Atomics.load(facts.proxy, 0))],
    [number("listen"), listenSocket],
    ...viewCalls.map(
      (name) => [number(name), (request: SyscallRequest) => judgeInView(name, confined, request)] as const,
    ),
  ]);

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
