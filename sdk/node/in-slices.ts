import { setImmediate } from "node:timers/promises";
import vm from "node:vm";

/** The time for which the service does nothing else, if each item is quick. */
const SLICE_MS = 20;
/** For one item, which then takes too long on any machine. */
const ONE_MS = 1_000;

let box: vm.Context | undefined;

/**
 * Does something with each item, a slice at a time, so that the service does other things in
 * between. Returns false if one item took more than a second, which ends it: patterns and names can
 * be chosen so that matching takes minutes. Throws the reason of the signal.
 */
export async function inSlices<T>(
  items: readonly T[],
  visit: (item: T) => void,
  signal: AbortSignal,
): Promise<boolean> {
  let at = 0;
  const slice = (): void => {
    const end = performance.now() + SLICE_MS;
    while (at < items.length && performance.now() < end) visit(items[at++]!);
  };
  while (at < items.length) {
    if (!inTime(slice)) return false;
    if (at < items.length) await setImmediate();
    signal.throwIfAborted();
  }
  return true;
}

/**
 * Does something that is quick, unless its input was chosen so that it is not. Returns false if it
 * took more than a second: the engine ends it then, in the midst of an expression too. Throws what
 * the work throws.
 */
export function inTime(work: () => void): boolean {
  box ??= vm.createContext({});
  box["work"] = work;
  try {
    vm.runInContext("work()", box, { timeout: ONE_MS });
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return false;
    throw error;
  } finally {
    box["work"] = undefined;
  }
}
