import type { Decision, SyscallRequest } from "./arguments.ts";
import { readMemory, writeMemory } from "./memory.ts";

/** The layout of what a program sets for a signal: its handler, then flags. */
const FLAGS = 8;
const LENGTH = 16;
const SA_RESTART = 0x10000000;
/** The default, or nothing at all. */
const NO_HANDLER = 1n;

/**
 * Lets calls begin again after a signal. A call that waits to be asked about ends with EINTR when a
 * signal comes, unless its handler lets calls begin again; so a child that ends while the next is
 * started would keep that from starting: dash says "Cannot fork". This makes every program's
 * handler for that signal let them begin again.
 */
export function letCallsRestart(request: SyscallRequest): Decision {
  const address = request.args[1]!;
  try {
    const action = Buffer.from(readMemory(request, address, LENGTH));
    const flags = action.readUInt32LE(FLAGS);
    if (action.readBigUInt64LE(0) <= NO_HANDLER || flags & SA_RESTART) return "continue";
    action.writeUInt32LE((flags | SA_RESTART) >>> 0, FLAGS);
    writeMemory(request, address + BigInt(FLAGS), action.subarray(FLAGS));
  } catch {
    // The memory that it names is not there, or the thread has ended; the kernel says so.
  }
  return "continue";
}
