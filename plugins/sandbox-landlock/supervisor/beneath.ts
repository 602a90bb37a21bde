import { readlinkSync } from "node:fs";
import { isInside } from "@gantry/sdk/node";
import type { SyscallRequest } from "./arguments.ts";
import { KernelError, close, openPath } from "../kernel/kernel.ts";

const AT_FDCWD = -100;
const EACCES = 13;

/** The path of another process' argument as this process reaches it. */
export function pathOf({ thread }: SyscallRequest, directory: number, path: string): string {
  if (path.startsWith("/")) return path.replace(/^\/proc\/(self|thread-self)(?=\/)/, `/proc/${thread}`);
  const base = directory === AT_FDCWD ? `/proc/${thread}/cwd` : `/proc/${thread}/fd/${directory}`;
  return path === "" ? base : `${base}/${path}`;
}

/** Hands `use` a name for one file beneath the roots, which stays that file whatever is swapped meanwhile. Throws KernelError. */
export function beneath<T>(
  { check }: SyscallRequest,
  path: string,
  flags: number,
  roots: readonly string[],
  use: (pinned: string) => T,
): T {
  const fd = openPath(path, flags);
  const pinned = `/proc/self/fd/${fd}`;
  try {
    check();
    const file = readlinkSync(pinned);
    if (!roots.some((root) => isInside(file, root))) throw new KernelError(path, EACCES);
    return use(pinned);
  } finally {
    close(fd);
  }
}
