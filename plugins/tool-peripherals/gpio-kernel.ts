import { closeSync, constants, openSync } from "node:fs";
import { getSystemErrorName } from "node:util";
import { obstacleAt } from "./device.ts";
import type { Obstacle } from "./device-kind.ts";

/** A call that the kernel answered with an error, by its name: `EBUSY`. */
export class KernelError extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/**
 * The kernel's part that a chip needs: the seam where tests put a chip that is not there. Calls
 * throw KernelError.
 */
export interface GpioKernel {
  /** Returns the reason why a path is not a chip, as far as it shows without opening it. */
  obstacle(path: string): Promise<Obstacle | undefined>;
  open(path: string): number;
  /** Reads and writes the structure in place. */
  ioctl(fd: number, request: number, data: Uint8Array): void;
  close(fd: number): void;
}

export type OpenKernel = () => Promise<GpioKernel>;

/**
 * The kernel that this runs on. Looked up on first use, as the package that calls it is not small.
 */
export async function linux(): Promise<GpioKernel> {
  const { default: koffi } = await import("koffi");
  const ioctl = koffi.load(null).func("ioctl", "int", ["int", "ulong", "void *"]);
  return {
    obstacle: (path) => obstacleAt(path, "gpio"),
    open: (path) => named(() => openSync(path, constants.O_RDWR)),
    ioctl(fd, request, data) {
      if (Number(ioctl(fd, request, data)) < 0) throw new KernelError(getSystemErrorName(-koffi.errno()));
    },
    close: (fd) => named(() => closeSync(fd)),
  };
}

function named<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new KernelError((error as NodeJS.ErrnoException).code ?? "unknown");
  }
}
