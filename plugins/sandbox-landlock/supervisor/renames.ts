import { constants, fstatSync } from "node:fs";
import path from "node:path";
import type { Syscall } from "../kernel/syscalls.ts";
import { type Decision, type SyscallRequest, int } from "./arguments.ts";
import { absoluteIn, inRoot } from "./in-root.ts";
import { readPath } from "./memory.ts";

const { O_NOFOLLOW } = constants;
const EXDEV = 18;
const NOREPLACE = 1;

/**
 * The positions of a path among a call's arguments, and of the descriptor of the folder that it
 * begins at.
 */
interface Argument {
  readonly path: number;
  readonly folder?: number;
}

interface Layout {
  readonly from: Argument;
  readonly to: Argument;
  readonly flags?: number;
}

const plain: Layout = { from: { path: 0 }, to: { path: 1 } };
const between: Layout = { from: { folder: 0, path: 1 }, to: { folder: 2, path: 3 } };

const renames: { readonly [K in Syscall]?: Layout } = {
  rename: plain,
  renameat: between,
  renameat2: { ...between, flags: 4 },
};
const links: { readonly [K in Syscall]?: Layout } = { link: plain, linkat: between };

/** A file of git's that is finished; it has other names before. */
const GIT_OBJECT = /(^|\/)objects\/([\da-f]{2}\/[\da-f]+|pack\/pack-[^/]+|info\/[^/]+)$/;

/**
 * Decides on a rename or link within a view. An overlay renames no folder of its lower layer: the
 * confined process moves what is in it. A file gets another inode number as it is linked, and git
 * gives up a clone whose links are not what it linked: refused as between file systems, it copies.
 * All else is the kernel's, whatever the paths lead to by then.
 */
export function judgeInView(name: Syscall, confined: number, request: SyscallRequest): Decision {
  const layout = renames[name];
  try {
    if (request.thread === confined) return "continue";
    if (layout) return judgeRename(layout, request);
    const { from } = links[name]!;
    return GIT_OBJECT.test(readPath(request, request.args[from.path]!)) ? EXDEV : "continue";
  } catch {
    return "continue";
  }
}

function judgeRename({ from, to, flags }: Layout, request: SyscallRequest): Decision {
  const how = flags === undefined ? 0 : int(request.args[flags]);
  if (how !== 0 && how !== NOREPLACE) return "continue";
  const source = pathIn(request, from);
  if (source === undefined || kindOf(request, source) !== "folder") return "continue";
  const target = pathIn(request, to);
  if (target === undefined || (how === NOREPLACE && kindOf(request, target) !== undefined)) return "continue";
  return { from: source, to: target };
}

/** Returns the kind of what has a path in the asker's root; no link leads out of that. */
function kindOf(request: SyscallRequest, at: string): "folder" | "other" | undefined {
  try {
    return inRoot(request, at, O_NOFOLLOW, (fd) => (fstatSync(fd).isDirectory() ? "folder" : "other"));
  } catch {
    return undefined;
  }
}

/**
 * Returns an argument as an absolute path in the asker's root; undefined if its last name does not
 * name an entry of its folder.
 */
function pathIn(request: SyscallRequest, { path: at, folder }: Argument): string | undefined {
  const written = readPath(request, request.args[at]!).replace(/\/+$/, "");
  if (["", ".", ".."].includes(path.basename(written))) return undefined;
  return absoluteIn(request, written, folder === undefined ? undefined : int(request.args[folder]));
}
