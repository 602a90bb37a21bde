import { constants } from "node:os";
import type { Confining } from "@gantry/sdk";
import { KernelError, ending, machine } from "./kernel/kernel.ts";
import { closeToOthers, gainNone } from "./kernel/privileges.ts";
import { onlyCompute } from "./kernel/seccomp.ts";

const { EINVAL, ENOSYS, EPERM } = constants.errno;
/** Answers of a kernel without filters, and of a container that allows none. */
const ABSENT: readonly number[] = [EINVAL, ENOSYS, EPERM];

/** In the address of this module: the process ends if the kernel gives it no walls. */
const isRequired = new URL(import.meta.url).searchParams.has("required");

/**
 * The process has loaded its code as it likes, and gives up the rest before it reads a byte from
 * outside.
 */
export const confine: Confining["confine"] = () => {
  if (!machine) return absent("no filter is known for its processor");
  const end = ending();
  try {
    closeToOthers();
    gainNone();
    onlyCompute(machine);
  } catch (error) {
    if (error instanceof KernelError && ABSENT.includes(error.errno)) return absent(error.message);
    throw error;
  }
  return end;
};

function absent(why: string): undefined {
  if (!isRequired) return undefined;
  throw new Error(`security.sandboxing.landlock_enabled is true and there are no walls: ${why}`);
}
