import { lstatSync, mkdirSync, readdirSync, rmdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isInside } from "@gantry/sdk/node";
import { libcCall, syscall } from "../kernel/kernel.ts";
import {
  ATTR_NODEV,
  ATTR_NOSUID,
  ATTR_RDONLY,
  MS_NODEV,
  MS_NOSUID,
  bind,
  mount,
  restrictMount,
} from "../kernel/mounts.ts";
import type { WallFacts } from "../messages.ts";
import { EMPTY_FILE, EMPTY_FOLDER } from "../workspace/mask-paths.ts";

const MNT_DETACH = 2;
/** Covered by the new root until that is in place; one of them is everywhere. */
const BASES = ["/tmp", "/mnt", "/var"];
const OLD = "/.old";
/**
 * Entries by which the kernel describes the machine: programs need them, and nobody's data is in
 * them.
 */
const OF_MACHINE = new Set(["cpuinfo", "filesystems", "loadavg", "meminfo", "stat", "uptime", "version"]);
/** Well-known names of what every process has. */
const DEVICE_LINKS = [
  ["/dev/fd", "/proc/self/fd"],
  ["/dev/stdin", "/proc/self/fd/0"],
  ["/dev/stdout", "/proc/self/fd/1"],
  ["/dev/stderr", "/proc/self/fd/2"],
] as const;

/**
 * The parts that the new root has as its own; false if a part is allowed, or closed, as it is
 * outside.
 */
export interface Own {
  readonly temporary: boolean;
  readonly processes: boolean;
}

/**
 * Makes a root of its own for this process, in which nothing is but what the walls allow, at the
 * paths where it was: the rest has no name to ask about. What may only be read is mounted so.
 * `layers`: what views are made of, with where they stand in there. Throws KernelError.
 */
export function enterView(
  { read, write, links, temporaryMb }: WallFacts,
  layers: readonly (readonly [from: string, to: string])[],
): Own {
  const base = BASES.find((folder) => lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) ?? "/";
  mount("gantry", base, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=4m");
  mkdirSync(base + OLD);
  syscall("pivot_root", Buffer.from(`${base}\0`), Buffer.from(`${base}${OLD}\0`));
  process.chdir("/");
  writeFileSync(EMPTY_FILE, "", { mode: 0 });
  mkdirSync(EMPTY_FOLDER, { mode: 0 });
  const processes = showProcesses();
  const shown = [...new Set([...write, ...read])].filter((at) => !isInside(at, "/proc"));
  const isTemporary = !isIn("/tmp", shown);
  mkdirSync("/tmp");
  if (isTemporary)
    mount("gantry-tmp", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, `mode=0700,size=${temporaryMb}m`);
  for (const at of shown.toSorted((a, b) => a.length - b.length)) show(at, write, shown);
  for (const [from, to] of [...links, ...DEVICE_LINKS]) link(from, to);
  for (const [from, to] of layers) {
    mkdirSync(to);
    bind(OLD + from, to);
  }
  libcCall("umount2", ["const char *", "int"], OLD, MNT_DETACH);
  rmdirSync(OLD);
  restrictMount("/", ATTR_RDONLY, false);
  return { temporary: isTemporary, processes };
}

/**
 * Shows the processes of this namespace that a run may trace, which are its own, and nothing else
 * of /proc. Returns false if the system allows only the outer list.
 */
function showProcesses(): boolean {
  mkdirSync("/proc");
  try {
    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV, "hidepid=4");
  } catch {
    bind(`${OLD}/proc`, "/proc");
    return false;
  }
  for (const entry of readdirSync("/proc", { withFileTypes: true })) {
    if (/^\d+$/.test(entry.name) || entry.isSymbolicLink() || OF_MACHINE.has(entry.name)) continue;
    bind(entry.isDirectory() ? EMPTY_FOLDER : EMPTY_FILE, `/proc/${entry.name}`);
  }
  return true;
}

function show(at: string, write: readonly string[], shown: readonly string[]): void {
  const about = statSync(OLD + at, { throwIfNoEntry: false });
  if (!about) return;
  const plain = about.isDirectory() || about.isFile();
  const writable = plain && isIn(at, write);
  const around = shown.filter((other) => other !== at && isInside(at, other));
  if (around.some((other) => isIn(other, write)) || (around.length > 0 && !writable)) return;
  if (!lstatSync(at, { throwIfNoEntry: false })) {
    mkdirSync(about.isDirectory() ? at : path.dirname(at), { recursive: true });
    if (!about.isDirectory()) writeFileSync(at, "");
  }
  bind(OLD + at, at);
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
