import { constants } from "node:os";
import type { Confining } from "@gantry/sdk";
import { KernelError, ending, machine } from "./kernel/kernel.ts";
import { closeToOthers, gainNone } from "./kernel/privileges.ts";
import { onlyCompute } from "./kernel/seccomp.ts";

const { EINVAL, ENOSYS, EPERM } = constants.errno;
/** Answers of a kernel without filters, and of a container that allows none. */
const ABSENT: readonly number[] = [EINVAL, ENOSYS, EPERM];

/**
 * The process has loaded its code as it likes, and gives up the rest before it reads a byte from
 * outside.
 */
export const confine: Confining["confine"] = () => {
  if (!machine) return undefined;
  const end = ending();
  try {
    closeToOthers();
    gainNone();
    onlyCompute(machine);
  } catch (error) {
    if (error instanceof KernelError && ABSENT.includes(error.errno)) return undefined;
    throw error;
  }
  return end;
};
