import { readlinkSync } from "node:fs";
import { isInside } from "@gantry/sdk/node";
import { AT_FDCWD, type SyscallRequest } from "./arguments.ts";
import { KernelError, close, openPath, struct, syscall } from "../kernel/kernel.ts";

const O_PATH = 0x200000;
const RESOLVE_IN_ROOT = 0x10;
const RESOLVE_NO_MAGICLINKS = 2;
const EACCES = 13;

/** Folders in the root of a confined process: only what its run has started listens there. */
export interface OwnFolders {
  readonly folders: readonly string[];
  /** Folders within these that others share. */
  readonly others: readonly string[];
}

/** Returns a path that the asker wrote as an absolute one in its root. */
export function absoluteIn({ thread }: SyscallRequest, written: string, folder = AT_FDCWD): string {
  if (written.startsWith("/")) return written;
  const from = folder === AT_FDCWD ? "cwd" : `fd/${folder}`;
  return `${readlinkSync(`/proc/${thread}/${from}`)}/${written}`;
}

/**
 * Returns what `use` returns, which it calls with a descriptor that names what a path is in the
 * asker's root; no link leads out of that, nor through a descriptor. Throws KernelError.
 */
export function inRoot<T>({ thread }: SyscallRequest, at: string, flags: number, use: (fd: number) => T): T {
  const root = openPath(`/proc/${thread}/root`);
  try {
    const how = struct([8, O_PATH | flags], [8, 0], [8, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS]);
    const fd = syscall("openat2", root, Buffer.from(`${at}\0`), how, how.length);
    try {
      return use(fd);
    } finally {
      close(fd);
    }
  } finally {
    close(root);
  }
}

/**
 * Hands `use` a name for one file in a folder of the asker's alone; it stays that file whatever is
 * swapped meanwhile. Throws KernelError.
 */
export function beneath<T>(
  request: SyscallRequest,
  at: string,
  { folders, others }: OwnFolders,
  use: (pinned: string) => T,
): T {
  return inRoot(request, at, 0, (fd) => {
    const pinned = `/proc/self/fd/${fd}`;
    request.check();
    const file = readlinkSync(pinned);
    const isIn = (those: readonly string[]): boolean => those.some((one) => isInside(file, one));
    if (!isIn(folders) || isIn(others)) throw new KernelError(at, EACCES);
    return use(pinned);
  });
}
