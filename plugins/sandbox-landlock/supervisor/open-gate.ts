import { lstatSync, readSync, writeSync } from "node:fs";
import { close, libcCall, openPath } from "../kernel/kernel.ts";
import { mountPoints } from "../kernel/mounts.ts";
import { isInside } from "@gantry/sdk/node";
import { NameWatch } from "./name-watch.ts";

const CLOSE_ON_EXEC = 1;
const NONBLOCK = 2;
const CLASS_CONTENT = 4;
const UNLIMITED = 0x10 | 0x20;
/** For the descriptors that the kernel hands over; a pipe with a name must not hold them up. */
const O_NONBLOCK_CLOEXEC = 0x80800;
const MARK_ADD = 1;
const MARK_MOUNT = 0x10;
/** Not asked about this file again, whatever is written to it, until the kernel forgets it. */
const MARK_PASSED = MARK_ADD | 0x20 | 0x40 | 0x200;
const OPEN_PERM = 0x10000;
const ALLOW = 1;
const DENY = 2;
const AT_FDCWD = -100;
const BATCH_BYTES = 4096;

/** What lies over the secret files of a workspace, as the confined process sees their paths. */
export interface Masked {
  readonly root: string;
  readonly files: readonly string[];
}

/**
 * The kernel asks here before a run opens a file of the workspace for the first time, and opens none any more once a mask
 * is not where it was laid. Somebody outside who saves a secret file anew takes the mask off before the new file has its
 * name, so no run can open that, under this name or another. The kernel grants this to root alone.
 */
export class OpenGate {
  readonly fd: number;
  readonly #confined: number;
  readonly #root: number;
  readonly #files: readonly string[];
  readonly #view: number;
  readonly #names: NameWatch;
  #isChecked = false;
  #hasFallen = false;

  private constructor(fd: number, confined: number, { root, files }: Masked) {
    this.fd = fd;
    this.#confined = confined;
    this.#root = openPath(`/proc/${confined}/root`);
    const top = `/proc/self/fd/${this.#root}/`;
    this.#view = lstatSync(top).dev;
    this.#files = files.map((file) => top + file);
    this.#names = new NameWatch(confined, top, root, files);
    if (files.length === 0) return;
    for (const at of mountPoints(confined))
      if (isInside(at, root)) this.#mark(MARK_ADD | MARK_MOUNT, top + at);
  }

  /** Undefined where the kernel does not grant it. */
  static over(confined: number, masked: Masked): OpenGate | undefined {
    const flags = CLASS_CONTENT | UNLIMITED | NONBLOCK | CLOSE_ON_EXEC;
    let fd: number;
    try {
      fd = libcCall("fanotify_init", ["uint", "uint"], flags, O_NONBLOCK_CLOEXEC);
    } catch {
      return undefined;
    }
    try {
      return new OpenGate(fd, confined, masked);
    } catch {
      close(fd);
      return undefined;
    }
  }

  /** Answers what is asked. */
  answer(): void {
    const bytes = Buffer.alloc(BATCH_BYTES);
    const end = this.#receive(bytes);
    // All that these would open had its name before this look.
    this.#look();
    for (let at = 0; at < end; at += bytes.readUInt32LE(at)) {
      const file = bytes.readInt32LE(at + 16);
      // The confined process opens what tools of the service ask for, and judges that by name.
      const isRun = bytes.readInt32LE(at + 20) !== this.#confined;
      if (!this.#hasFallen) this.#pass(file);
      this.#send(file, isRun && this.#hasFallen ? DENY : ALLOW);
      close(file);
    }
  }

  close(): void {
    this.#names.close();
    close(this.fd);
    close(this.#root);
  }

  #look(): void {
    if (this.#hasFallen || (!this.#names.mayHaveChanged() && this.#isChecked)) return;
    this.#hasFallen = !this.#files.every((mask) => this.#isOfView(mask));
    this.#isChecked = true;
  }

  #receive(bytes: Buffer): number {
    try {
      return readSync(this.fd, bytes);
    } catch {
      // Who asked was killed while it waited.
      return 0;
    }
  }

  #send(file: number, answer: number): void {
    const response = Buffer.alloc(8);
    response.writeInt32LE(file, 0);
    response.writeUInt32LE(answer, 4);
    try {
      writeSync(this.fd, response);
    } catch {
      // As above.
    }
  }

  #isOfView(at: string): boolean {
    try {
      return lstatSync(at).dev === this.#view;
    } catch {
      return false;
    }
  }

  #pass(file: number): void {
    try {
      this.#mark(MARK_PASSED, null, file);
    } catch {
      // An older kernel asks each time.
    }
  }

  #mark(flags: number, at: string | null, from = AT_FDCWD): void {
    const types = ["int", "uint", "uint64_t", "int", "const char *"];
    libcCall("fanotify_mark", types, this.fd, flags, OPEN_PERM, from, at);
  }
}
