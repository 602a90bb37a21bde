import { lstatSync, mkdirSync, rmdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isInside } from "@gantry/sdk/node";
import { libcCall, struct, syscall } from "./kernel.ts";

const MS_NOSUID = 2;
const MS_NODEV = 4;
const MS_BIND = 0x1000;
const MS_REC = 0x4000;
const MNT_DETACH = 2;
const AT_FDCWD = -100;
const AT_RECURSIVE = 0x8000;
const ATTR_RDONLY = 1;
const ATTR_NOSUID = 2;
const ATTR_NODEV = 4;
const CLONE_NEWPID = 0x20000000;
const O_RDONLY_CLOEXEC = 0x80000;

/** Covered by the new root until that is in place; one of them is everywhere. */
const BASES = ["/tmp", "/mnt", "/var"];
const OLD = "/.old";
/** What lies over a secret file or folder. */
const EMPTY_FILE = "/.empty";
const EMPTY_FOLDER = "/.empty-folder";
/** Well-known names of what every process has. */
const DEVICE_LINKS = [
  ["/dev/fd", "/proc/self/fd"],
  ["/dev/stdin", "/proc/self/fd/0"],
  ["/dev/stdout", "/proc/self/fd/1"],
  ["/dev/stderr", "/proc/self/fd/2"],
] as const;

export interface View {
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly links: readonly (readonly [from: string, to: string])[];
  readonly temporaryMb: number;
}

function mount(
  source: string,
  target: string,
  type: string | null,
  flags: number,
  data: string | null,
): void {
  const types = ["const char *", "const char *", "const char *", "ulong", "const char *"];
  libcCall("mount", types, source, target, type, flags, data);
}

function bind(source: string, target: string): void {
  mount(source, target, null, MS_BIND | MS_REC, null);
}

function restrictMount(target: string, attributes: number, recursive = true): void {
  const change = struct([8, attributes], [8, 0], [8, 0], [8, 0]);
  const name = Buffer.from(`${target}\0`);
  syscall("mount_setattr", AT_FDCWD, name, recursive ? AT_RECURSIVE : 0, change, change.length);
}

/**
 * Makes a root of its own for this process, in which nothing is but what the walls allow, at the paths where it was: the
 * rest has no name to ask about. What may only be read is mounted so. True where /tmp is its own, false where it is
 * allowed as it is. Throws KernelError.
 */
export function enterView({ read, write, links, temporaryMb }: View): boolean {
  const base = BASES.find((folder) => lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) ?? "/";
  mount("gantry", base, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=4m");
  mkdirSync(base + OLD);
  syscall("pivot_root", Buffer.from(`${base}\0`), Buffer.from(`${base}${OLD}\0`));
  process.chdir("/");
  writeFileSync(EMPTY_FILE, "", { mode: 0 });
  mkdirSync(EMPTY_FOLDER, { mode: 0 });
  showProcesses();
  const shown = [...new Set([...write, ...read])].filter((at) => !isInside(at, "/proc"));
  const isTemporary = !isIn("/tmp", shown);
  mkdirSync("/tmp");
  if (isTemporary)
    mount("gantry-tmp", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, `mode=0700,size=${temporaryMb}m`);
  for (const at of shown.toSorted((a, b) => a.length - b.length)) show(at, write, shown);
  for (const [from, to] of [...links, ...DEVICE_LINKS]) link(from, to);
  libcCall("umount2", ["const char *", "int"], OLD, MNT_DETACH);
  rmdirSync(OLD);
  restrictMount("/", ATTR_RDONLY, false);
  return isTemporary;
}

/** A list of processes of this namespace; the outer one where the system allows no other. */
function showProcesses(): void {
  mkdirSync("/proc");
  try {
    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV, null);
  } catch {
    bind(`${OLD}/proc`, "/proc");
  }
}

function show(at: string, write: readonly string[], shown: readonly string[]): void {
  const about = statSync(OLD + at, { throwIfNoEntry: false });
  if (!about) return;
  const writable = about.isDirectory() || about.isFile() ? isIn(at, write) : false;
  const around = shown.filter((other) => other !== at && isInside(at, other));
  if (around.some((other) => isIn(other, write)) || (around.length > 0 && !writable)) return;
  if (!lstatSync(at, { throwIfNoEntry: false })) {
    mkdirSync(about.isDirectory() ? at : path.dirname(at), { recursive: true });
    if (!about.isDirectory()) writeFileSync(at, "");
  }
  bind(OLD + at, at);
  const plain = about.isDirectory() || about.isFile();
  restrictMount(at, ATTR_NOSUID | (plain ? ATTR_NODEV : 0) | (writable ? 0 : ATTR_RDONLY));
}

const isIn = (at: string, roots: readonly string[]): boolean => roots.some((root) => isInside(at, root));

function link(from: string, to: string): void {
  if (lstatSync(from, { throwIfNoEntry: false })) return;
  try {
    mkdirSync(path.dirname(from), { recursive: true });
    symlinkSync(to, from);
  } catch {
    // Within something shown as it is, where the link is missing too.
  }
}

/** Lays an empty file or folder that nobody may open over a path. False where nothing is there any more. */
export function hide(at: string): boolean {
  return over(at, (folder) => bind(folder ? EMPTY_FOLDER : EMPTY_FILE, at));
}

/** From here on a path can be read and not changed, removed or moved, nor can the folders around it up to `root` be moved. */
export function hold(at: string, root: string, pinned: Set<string>): boolean {
  const around = foldersBetween(root, at).filter((folder) => !pinned.has(folder));
  for (const folder of around) {
    if (over(folder, () => bind(folder, folder))) pinned.add(folder);
  }
  return over(at, () => {
    bind(at, at);
    restrictMount(at, ATTR_RDONLY);
  });
}

function foldersBetween(root: string, at: string): readonly string[] {
  const names = path.relative(root, path.dirname(at)).split("/").filter(Boolean);
  return names.map((_, i) => path.join(root, ...names.slice(0, i + 1)));
}

function over(at: string, lay: (folder: boolean) => void): boolean {
  const about = statSync(at, { throwIfNoEntry: false });
  if (!about) return false;
  lay(about.isDirectory());
  return true;
}

/** Starts each run as the first process of a process namespace of its own; the kernel ends all others in there with it. */
export class ProcessNamespaces {
  readonly #own: number = libcCall("open", ["const char *", "int"], "/proc/self/ns/pid", O_RDONLY_CLOEXEC);

  /** Throws KernelError. */
  within<T>(start: () => T): T {
    syscall("unshare", CLONE_NEWPID);
    try {
      return start();
    } finally {
      // Until then this process could make no thread.
      syscall("setns", this.#own, CLONE_NEWPID);
    }
  }
}
