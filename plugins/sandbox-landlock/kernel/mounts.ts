import { readFileSync } from "node:fs";
import { libcCall, struct, syscall } from "./kernel.ts";

export const MS_NOSUID = 2;
export const MS_NODEV = 4;
const MS_BIND = 0x1000;
/** For unshare(2) and setns(2). */
export const CLONE_NEWNS = 0x20000;
export const CLONE_FS = 0x200;
const MS_REC = 0x4000;
const AT_FDCWD = -100;
const AT_RECURSIVE = 0x8000;
export const ATTR_RDONLY = 1;
export const ATTR_NOSUID = 2;
export const ATTR_NODEV = 4;

/** Calls mount(2). Throws KernelError. */
export function mount(
  source: string,
  target: string,
  type: string | null,
  flags: number,
  data: string | null,
): void {
  const types = ["const char *", "const char *", "const char *", "ulong", "const char *"];
  libcCall("mount", types, source, target, type, flags, data);
}

/** Shows a file or folder, with what is mounted in it, at another path too. Throws KernelError. */
export function bind(source: string, target: string): void {
  mount(source, target, null, MS_BIND | MS_REC, null);
}

/** Throws KernelError. */
export function restrictMount(target: string, attributes: number, recursive = true): void {
  const change = struct([8, attributes], [8, 0], [8, 0], [8, 0]);
  const name = Buffer.from(`${target}\0`);
  syscall("mount_setattr", AT_FDCWD, name, recursive ? AT_RECURSIVE : 0, change, change.length);
}

/** Returns the mount points of a process, as it sees them. */
export function mountPoints(pid: number): ReadonlySet<string> {
  const lines = readFileSync(`/proc/${pid}/mountinfo`, "latin1").trimEnd().split("\n");
  return new Set(lines.map((line) => Buffer.from(unescaped(line.split(" ")[4] ?? ""), "latin1").toString()));
}

function unescaped(at: string): string {
  return at.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
