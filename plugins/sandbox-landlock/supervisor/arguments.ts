import { readFileSync } from "node:fs";
import type { Move } from "../messages.ts";

/** In place of the descriptor of a folder: the working directory. */
export const AT_FDCWD = -100;

/** A system call that waits for its decision: the thread that made it and its arguments. */
export interface SyscallRequest {
  readonly thread: number;
  readonly args: readonly bigint[];
  /**
   * Throws if the thread has gone, since its number may be another's by now. Call it once what the
   * number named is pinned.
   */
  check(): void;
  /**
   * Puts a copy of one of our descriptors in the place of one of the thread's. Throws if the thread
   * has gone.
   */
  place(fd: number, at: number, closesOnExec: boolean): void;
}

/**
 * The kernel goes on with the call, fails it with an error number, or takes it as done if that is
 * 0; a move is answered by the confined process.
 */
export type Decision = "continue" | number | Move;

/** Returns an argument that the kernel reads as an int. */
export function int(argument: bigint | undefined): number {
  return Number(BigInt.asIntN(32, argument ?? 0n));
}

/**
 * Returns the process of a thread. The first line may hold its name, which it chooses: the kernel
 * keeps line feeds out of that, and nothing else, so only they end a line. Throws if there is none.
 */
export function processOf(thread: number): number {
  const [, ...lines] = readFileSync(`/proc/${thread}/status`, "utf8").split("\n");
  const line = lines.find((one) => one.startsWith("Tgid:"));
  if (line === undefined) throw new Error(`/proc/${thread}/status says no process`);
  return Number(line.slice("Tgid:".length));
}
