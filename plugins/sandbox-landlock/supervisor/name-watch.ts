import { readSync } from "node:fs";
import path from "node:path";
import { isInside } from "@gantry/sdk/node";
import { close, libcCall } from "../kernel/kernel.ts";

const NONBLOCK_CLOEXEC = 0x80800;
const READ_CLOEXEC = 0x80000;
/** Something was moved away, moved here or removed, or the folder itself was. */
const NAMES = 0x40 | 0x80 | 0x200 | 0x400 | 0x800;
const POLLIN = 1;
const POLLPRI = 2;

/**
 * Tells whether the names of some files may lead elsewhere than before, at one system call. The kernel says that a mount has
 * fallen before the file that takes its place has its name, and that something was moved away before whatever follows that;
 * two files that change places at once may be told of a moment later.
 */
export class NameWatch {
  readonly #names: number;
  readonly #mounts: number;
  #isWhole = true;

  /** `top`: how a path of another process' view is reached from here. */
  constructor(pid: number, top: string, root: string, files: readonly string[]) {
    this.#mounts = libcCall("open", ["const char *", "int"], `/proc/${pid}/mountinfo`, READ_CLOEXEC);
    this.#names = libcCall("inotify_init1", ["int"], NONBLOCK_CLOEXEC);
    const types = ["int", "const char *", "uint32_t"];
    try {
      for (const folder of foldersOf(files, root))
        libcCall("inotify_add_watch", types, this.#names, top + folder, NAMES);
    } catch {
      // As many watches as there may be are in use.
      this.#isWhole = false;
    }
  }

  /** True once after each change; always where not all can be watched. */
  mayHaveChanged(): boolean {
    if (!this.#isWhole) return true;
    const polled = new Int32Array([this.#names, POLLIN, this.#mounts, POLLPRI]);
    const types = ["void *", "ulong", "int"];
    if (libcCall("poll", types, new Uint8Array(polled.buffer), polled.length / 2, 0) === 0) return false;
    this.#drain();
    return true;
  }

  close(): void {
    close(this.#names);
    close(this.#mounts);
  }

  #drain(): void {
    const events = Buffer.alloc(65_536);
    try {
      while (readSync(this.#names, events) > 0);
    } catch {
      // There are no more.
    }
  }
}

/** Those around files, as far as a root. */
function foldersOf(files: readonly string[], root: string): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const file of files)
    for (let at = path.dirname(file); isInside(at, root) && !folders.has(at); at = path.dirname(at))
      folders.add(at);
  return folders;
}
