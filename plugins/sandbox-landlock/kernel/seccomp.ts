import { type FilterFacts, compileComputing, compileFilter } from "./filter.ts";
import { addressOf, struct, syscall } from "./kernel.ts";
import type { Machine } from "./syscalls.ts";

const SET_MODE_FILTER = 1;
const ALL_THREADS = 1;
const NEW_LISTENER = 8;
const WAIT_KILLABLE = 32;

/**
 * Filters the calling thread and all that it starts. Returns the descriptor on which the supervisor
 * is asked. Throws KernelError.
 */
export function restrictCalls(facts: FilterFacts): number {
  const program = compileFilter(facts);
  const header = headerOf(program);
  try {
    return syscall("seccomp", SET_MODE_FILTER, NEW_LISTENER | WAIT_KILLABLE, header);
  } catch {
    return syscall("seccomp", SET_MODE_FILTER, NEW_LISTENER, header);
  }
}

/**
 * Leaves all threads of this process nothing but to compute. `no_new_privs` must be set. Throws
 * KernelError.
 */
export function onlyCompute(machine: Machine): void {
  const program = compileComputing(machine, process.pid);
  const other = syscall("seccomp", SET_MODE_FILTER, ALL_THREADS, headerOf(program));
  if (other !== 0) throw new Error(`thread ${other} cannot be filtered`);
}

/** Programs that the kernel was given by their address: nothing else keeps their memory. */
const given: Uint8Array[] = [];

function headerOf(program: Uint8Array): Uint8Array {
  given.push(program);
  return struct([2, program.length / 8], [2, 0], [4, 0], [8, addressOf(program)]);
}
