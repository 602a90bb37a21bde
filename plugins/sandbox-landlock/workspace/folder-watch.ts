import { readFileSync, readSync, statfsSync } from "node:fs";
import { close, libcCall } from "../kernel/kernel.ts";

const IN_NONBLOCK = 0x800;
const IN_CLOEXEC = 0x80000;
/** Whatever changes the change time of a folder, and its end. */
const EVENTS = 0x4 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800;
/** A folder alone, and no link to one. */
const ONE_FOLDER = 0x1000000 | 0x2000000;
const IN_Q_OVERFLOW = 0x4000;
const IN_IGNORED = 0x8000;
const TYPES = ["int", "const char *", "uint"];
const BUFFER_BYTES = 65_536;
const HEADER_BYTES = 16;
const LIMIT = "/proc/sys/fs/inotify/max_user_watches";
/** Editors need watches too. */
const SHARE = 4;
/** File systems of which the kernel sees each change: ext, xfs, btrfs, bcachefs, f2fs, zfs, tmpfs. */
const LOCAL = new Set([0xef53, 0x58465342, 0x9123683e, 0xca451a4e, 0xf2f52010, 0x2fc12fc1, 0x01021994]);

/** Tells which folders changed, so that nobody has to look at the others. */
export class FolderWatch implements Disposable {
  readonly #most: number;
  #fd: number | undefined;
  readonly #watched = new Set<number>();
  readonly #buffer = Buffer.alloc(BUFFER_BYTES);
  #changed = new Set<number>();

  private constructor(most: number) {
    this.#most = most;
  }

  /** Returns undefined where the kernel tells of no changes, or not of all. */
  static of(root: string): FolderWatch | undefined {
    try {
      if (!LOCAL.has(statfsSync(root).type)) return undefined;
      return new FolderWatch(Number(readFileSync(LIMIT, "utf8")) / SHARE);
    } catch {
      return undefined;
    }
  }

  /** Watches a folder from now on. Returns a number for it; undefined if it cannot be watched. */
  add(folder: string): number | undefined {
    if (this.#watched.size >= this.#most) return undefined;
    try {
      this.#fd ??= libcCall("inotify_init1", ["int"], IN_NONBLOCK | IN_CLOEXEC);
      const watched = libcCall("inotify_add_watch", TYPES, this.#fd, folder, EVENTS | ONE_FOLDER);
      this.#watched.add(watched);
      return watched;
    } catch {
      return undefined;
    }
  }

  /** Reads what happened since the last time. Returns false if nothing did. */
  look(): boolean {
    this.#changed = new Set();
    for (let bytes = this.#read(); bytes > 0; bytes = this.#read())
      for (let at = 0; at < bytes; at += HEADER_BYTES + this.#buffer.readUInt32LE(at + 12))
        this.#take(this.#buffer.readInt32LE(at), this.#buffer.readUInt32LE(at + 4));
    return this.#changed.size > 0;
  }

  #take(watched: number, events: number): void {
    this.#changed.add(watched);
    // What was lost may have been of any of them.
    if ((events & IN_Q_OVERFLOW) !== 0) for (const one of this.#watched) this.#changed.add(one);
    if ((events & IN_IGNORED) !== 0) this.#watched.delete(watched);
  }

  /** True if a folder is watched, and nothing happened in it up to the last {@link look}. */
  isSame(watched: number | undefined): boolean {
    return watched !== undefined && this.#watched.has(watched) && !this.#changed.has(watched);
  }

  [Symbol.dispose](): void {
    if (this.#fd !== undefined) close(this.#fd);
    this.#fd = undefined;
    this.#watched.clear();
  }

  #read(): number {
    if (this.#fd === undefined) return 0;
    try {
      return readSync(this.#fd, this.#buffer);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") return 0;
      throw error;
    }
  }
}
