import { readlinkSync } from "node:fs";
import type { Asked } from "./arguments.ts";
import { KernelError, close, openPath } from "./kernel.ts";
import { isBeneath } from "./roots.ts";

const AT_FDCWD = -100;
const EACCES = 13;

/** The path of another process' argument as this process reaches it. */
export function pathOf({ thread }: Asked, directory: number, path: string): string {
  if (path.startsWith("/")) return path.replace(/^\/proc\/(self|thread-self)(?=\/)/, `/proc/${thread}`);
  const base = directory === AT_FDCWD ? `/proc/${thread}/cwd` : `/proc/${thread}/fd/${directory}`;
  return path === "" ? base : `${base}/${path}`;
}

/** Hands `use` a name for one file beneath the roots, which stays that file whatever is swapped meanwhile. Throws KernelError. */
export function beneath<T>(
  { check }: Asked,
  path: string,
  flags: number,
  roots: readonly string[],
  use: (pinned: string) => T,
): T {
  const fd = openPath(path, flags);
  const pinned = `/proc/self/fd/${fd}`;
  try {
    check();
    if (!isBeneath(readlinkSync(pinned), roots)) throw new KernelError(path, EACCES);
    return use(pinned);
  } finally {
    close(fd);
  }
}
