import { setFlagsFromString } from "node:v8";

/** Compilers for code that runs often, and threads that collect young garbage. */
const patient = ["maglev", "opt", "sparkplug", "parallel-scavenge"];
/** Most words have ended by then; what still runs is to run fast. */
const startMs = 1_000;
/** Flags by which the owner asked V8 for something in the same matter: they stay as they are. */
const asked = /--\S*(?:jit|opt|maglev|sparkplug|turbo|scaveng|lite|single-threaded|v8-options)/;
/** V8 prints a line for a flag that it does not know; these releases know all of the above. */
const knownFrom = 12;
const knownTo = 14;

/**
 * Holds back what pays off in long runs alone. In the first second V8 would compile a hundred
 * functions for speed that no short word calls again, which costs a tenth of its processor time
 * and 13 MiB.
 */
export function compileLater(): void {
  const v8 = Number.parseInt(process.versions.v8, 10);
  if (v8 < knownFrom || v8 > knownTo) return;
  if (asked.test([...process.execArgv, process.env["NODE_OPTIONS"]].join(" "))) return;
  for (const name of patient) setFlagsFromString(`--no-${name}`);
  setTimeout(compileNow, startMs).unref();
}

function compileNow(): void {
  for (const name of patient) setFlagsFromString(`--${name}`);
}
