import { libcCall, syscall } from "../kernel/kernel.ts";

const OF_OVERLAY = "user.overlay.";
const LIST_BYTES = 4_096;
const AT_FDCWD = -100;
const NOREPLACE = 1;
const EXCHANGE = 2;
const names = new Uint8Array(LIST_BYTES);

/**
 * Returns what the overlay notes of a file or folder in its upper layer: `opaque`, `origin`,
 * `impure`.
 */
export function overlayNotes(at: string): readonly string[] {
  const length = libcCall("llistxattr", ["const char *", "void *", "ulong"], at, names, LIST_BYTES);
  if (length === 0) return [];
  const all = Buffer.from(names.buffer, 0, length).toString("latin1").split("\0");
  return all.filter((name) => name.startsWith(OF_OVERLAY)).map((name) => name.slice(OF_OVERLAY.length));
}

/** Takes such a note off. Throws KernelError. */
export function dropNote(at: string, note: string): void {
  libcCall("lremovexattr", ["const char *", "const char *"], at, OF_OVERLAY + note);
}

/** Renames if nothing has the new name. Throws KernelError. */
export function renameNew(from: string, to: string): void {
  rename(from, to, NOREPLACE);
}

/** Exchanges the names of two files, in one step. Throws KernelError. */
export function exchange(one: string, other: string): void {
  rename(one, other, EXCHANGE);
}

function rename(from: string, to: string, flags: number): void {
  const paths = [from, to].map((at) => Buffer.from(`${at}\0`));
  syscall("renameat2", AT_FDCWD, paths[0]!, AT_FDCWD, paths[1]!, flags);
}
