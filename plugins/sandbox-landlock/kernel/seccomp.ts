import { type FilterFacts, compileFilter } from "./filter.ts";
import { addressOf, struct, syscall } from "./kernel.ts";

const SET_MODE_FILTER = 1;
const NEW_LISTENER = 8;
const WAIT_KILLABLE = 32;

/** Filters the calling thread and all that it starts; gives the descriptor on which the supervisor is asked. Throws KernelError. */
export function restrictCalls(facts: FilterFacts): number {
  const program = compileFilter(facts);
  const header = struct([2, program.length / 8], [2, 0], [4, 0], [8, addressOf(program)]);
  try {
    return syscall("seccomp", SET_MODE_FILTER, NEW_LISTENER | WAIT_KILLABLE, header);
  } catch {
    return syscall("seccomp", SET_MODE_FILTER, NEW_LISTENER, header);
  }
}
