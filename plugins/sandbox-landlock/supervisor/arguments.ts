import { readFileSync } from "node:fs";

/** A system call that waits for its decision: the thread that made it and its arguments. */
export interface SyscallRequest {
  readonly thread: number;
  readonly args: readonly bigint[];
  /** Throws where the thread has gone, and its number may be another's by now: to be called once what it named is pinned. */
  check(): void;
}

/** The kernel goes on with the call, fails it with an error number, or takes it as done where that is 0. */
export type Decision = "continue" | number;

/** An argument that the kernel reads as an int. */
export function int(argument: bigint | undefined): number {
  return Number(BigInt.asIntN(32, argument ?? 0n));
}

/** The process of a thread. Throws where there is none. */
export function processOf(thread: number): number {
  const found = /^Tgid:\s+(\d+)$/m.exec(readFileSync(`/proc/${thread}/status`, "utf8"));
  return Number(found![1]);
}
