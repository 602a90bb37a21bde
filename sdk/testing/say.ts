import { readFileSync } from "node:fs";
import type { ContractCase } from "./contract-case.ts";

/** Fails a case: who did what, and the cure. */
export function wrong(who: string, what: string, cure: string): Error {
  return new Error(`${who} ${what}: ${cure}.`);
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** A table of sentences and checks as cases for any test runner. */
export function cases(table: Readonly<Record<string, () => Promise<void>>>): readonly ContractCase[] {
  return Object.entries(table).map(([name, run]) => ({ name, run }));
}

/** Frozen all the way down, so that a plugin that changes what it was handed throws. */
export function frozen<T>(value: T): T {
  if (
    typeof value === "object" &&
    value !== null &&
    !Object.isFrozen(value) &&
    !ArrayBuffer.isView(value) &&
    !(value instanceof AbortSignal)
  ) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}

/** Returns the value of `work`, or throws the sentence that it took too long. */
export async function within<T>(ms: number, late: Error, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late), ms);
  });
  try {
    return await Promise.race([work(), end]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns the value of `work`; throws `late` if it takes too long, and else what `fault` says of
 * what it throws.
 */
export function answerOf<T>(
  ms: number,
  late: Error,
  work: () => unknown,
  fault: (message: string) => Error,
): Promise<T> {
  return within(ms, late, async () => work() as T).catch((error: unknown) => {
    throw error === late ? late : fault(messageOf(error));
  });
}

/** Waits for work that may fail as it likes; throws `late` if it takes too long. */
export async function endsSoon(ms: number, late: Error, work: () => unknown): Promise<void> {
  await within(ms, late, async () => work()).catch((error: unknown) => {
    if (error === late) throw error;
  });
}

/**
 * A clock in ms that stands still while a loaded machine keeps this thread waiting for its turn,
 * where the system tells that.
 */
function ownMs(): number {
  try {
    const [, waitedNs] = readFileSync("/proc/thread-self/schedstat", "utf8").split(" ");
    return performance.now() - Number(waitedNs) / 1e6;
  } catch {
    return performance.now();
  }
}

/**
 * Runs `work` and gives its answer with the longest time, in ms, that nothing else could run
 * meanwhile.
 */
export async function watched<T>(
  work: () => Promise<T>,
): Promise<{ readonly answer: T; readonly blockedMs: number }> {
  let last = ownMs();
  let blockedMs = 0;
  const tick = (): void => {
    const now = ownMs();
    blockedMs = Math.max(blockedMs, now - last);
    last = now;
  };
  const timer = setInterval(tick, 5);
  try {
    const answer = await work();
    await new Promise((resolve) => setTimeout(resolve, 6));
    return { answer, blockedMs: blockedMs - 5 };
  } finally {
    tick();
    clearInterval(timer);
  }
}
