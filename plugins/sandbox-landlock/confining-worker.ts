import { closeSync, readdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import type { Confining } from "@gantry/sdk/fill";
import { KernelError, ending, machine } from "./kernel/kernel.ts";
import { closeToOthers, gainNone } from "./kernel/privileges.ts";
import { onlyCompute } from "./kernel/seccomp.ts";

const { EINVAL, ENOSYS, EPERM } = constants.errno;
/** Answers of a kernel without filters, and of a container that allows none. */
const ABSENT: readonly number[] = [EINVAL, ENOSYS, EPERM];

const STDERR = 2;
const O_CLOEXEC = 0o2000000;

/** In the address of this module: the process ends if the kernel gives it no walls. */
const isRequired = new URL(import.meta.url).searchParams.has("required");

/**
 * Gives up what the process does not need before it reads a byte from outside; it has loaded its
 * code as it likes.
 */
export const confine: Confining["confine"] = () => {
  if (!machine) return absent("no filter is known for its processor");
  const end = ending();
  try {
    closeInherited();
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

/**
 * Closes what the service was started with and passed on: Node opens all of its own to be closed on
 * exec, so what came through that is foreign.
 */
function closeInherited(): void {
  for (const fd of openDescriptors()) if (fd > STDERR && !closesOnExec(fd)) closeSync(fd);
}

function openDescriptors(): readonly number[] {
  try {
    return readdirSync("/proc/self/fd").map(Number);
  } catch {
    return absent("there is no /proc to list descriptors by") ?? [];
  }
}

function closesOnExec(fd: number): boolean {
  try {
    const facts = readFileSync(`/proc/self/fdinfo/${fd}`, "utf8");
    const flags = Number.parseInt(/^flags:\s+([0-7]+)$/m.exec(facts)?.[1] ?? "", 8);
    return (flags & O_CLOEXEC) !== 0;
  } catch {
    // The descriptor by which the folder was listed is closed by now.
    return true;
  }
}
