import { readFileSync } from "node:fs";

/** The thread that asks and the arguments of its call. */
export interface Asked {
  readonly thread: number;
  readonly args: readonly bigint[];
  /** Throws where the thread has gone, and its number may be another's by now: to be called once what it named is pinned. */
  check(): void;
}

/** What a trapped call is answered with: the kernel goes on with it, an error number, or 0 where the referee has done it. */
export type Answer = "continue" | number;

/** An argument that the kernel reads as an int. */
export function int(argument: bigint | undefined): number {
  return Number(BigInt.asIntN(32, argument ?? 0n));
}

/** The process of a thread. Throws where there is none. */
export function processOf(thread: number): number {
  const found = /^Tgid:\s+(\d+)$/m.exec(readFileSync(`/proc/${thread}/status`, "utf8"));
  return Number(found![1]);
}
