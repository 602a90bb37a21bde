import { type SyscallRequest, int } from "./arguments.ts";
import { beneath, pathOf } from "./beneath.ts";
import { KernelError, libcCall, struct } from "../kernel/kernel.ts";
import { readMemory, readPath } from "./memory.ts";
import type { Syscall } from "../kernel/syscalls.ts";

const AT_FDCWD = -100;
const AT_SYMLINK_NOFOLLOW = 0x100;
const O_NOFOLLOW = process.arch === "arm64" ? 0x8000 : 0x20000;
/** Nobody gets a program that runs with another's rights. */
const PLAIN_MODE = 0o1777;
const EPERM = 1;
const EFAULT = 14;

/** Where each call keeps its arguments; `path` is absent where the call takes only a descriptor. */
interface Layout {
  readonly directory?: number;
  readonly path?: number;
  readonly flags?: number;
  readonly stay?: boolean;
  change(request: SyscallRequest, pinned: string): void;
}

const mode = (at: number) => (request: SyscallRequest, pinned: string) => {
  const bits = int(request.args[at]) & 0o7777;
  if (bits & ~PLAIN_MODE) throw new KernelError("chmod", EPERM);
  libcCall("chmod", ["const char *", "uint"], pinned, bits);
};
const owner = (at: number) => (request: SyscallRequest, pinned: string) =>
  void libcCall(
    "chown",
    ["const char *", "int", "int"],
    pinned,
    int(request.args[at]),
    int(request.args[at + 1]),
  );
const times = (at: number, unit: "s" | "us" | "ns") => (request: SyscallRequest, pinned: string) =>
  void libcCall(
    "utimensat",
    ["int", "const char *", "void *", "int"],
    AT_FDCWD,
    pinned,
    timespecs(request, at, unit),
    0,
  );

function timespecs(request: SyscallRequest, at: number, unit: "s" | "us" | "ns"): Uint8Array | null {
  const address = request.args[at]!;
  if (address === 0n) return null;
  const bytes = readMemory(request, address, unit === "s" ? 16 : 32);
  if (bytes.length < (unit === "s" ? 16 : 32)) throw new KernelError("utimensat", EFAULT);
  const words = new BigInt64Array(bytes.slice().buffer);
  if (unit === "s") return struct([8, words[0]!], [8, 0], [8, words[1]!], [8, 0]);
  if (unit === "us")
    return struct([8, words[0]!], [8, words[1]! * 1000n], [8, words[2]!], [8, words[3]! * 1000n]);
  return bytes.slice();
}

const layouts: { readonly [K in Syscall]?: Layout } = {
  chmod: { path: 0, change: mode(1) },
  fchmod: { directory: 0, change: mode(1) },
  fchmodat: { directory: 0, path: 1, change: mode(2) },
  fchmodat2: { directory: 0, path: 1, flags: 3, change: mode(2) },
  chown: { path: 0, change: owner(1) },
  lchown: { path: 0, stay: true, change: owner(1) },
  fchown: { directory: 0, change: owner(1) },
  fchownat: { directory: 0, path: 1, flags: 4, change: owner(2) },
  utime: { path: 0, change: times(1, "s") },
  utimes: { path: 0, change: times(1, "us") },
  futimesat: { directory: 0, path: 1, change: times(2, "us") },
  utimensat: { directory: 0, path: 1, flags: 3, change: times(2, "ns") },
};

/** Changes mode, owner or times of one file beneath the roots, on behalf of who request. Throws KernelError. */
export function changeMetadata(name: Syscall, request: SyscallRequest, roots: readonly string[]): number {
  const layout = layouts[name]!;
  const address = layout.path === undefined ? 0n : request.args[layout.path]!;
  const written = address === 0n ? "" : readPath(request, address);
  const directory = layout.directory === undefined ? AT_FDCWD : int(request.args[layout.directory]);
  const flags = layout.flags === undefined ? 0 : int(request.args[layout.flags]);
  const stay = written !== "" && (layout.stay || flags & AT_SYMLINK_NOFOLLOW);
  beneath(request, pathOf(request, directory, written), stay ? O_NOFOLLOW : 0, roots, (pinned) =>
    layout.change(request, pinned),
  );
  return 0;
}
