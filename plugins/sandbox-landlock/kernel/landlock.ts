import { existsSync, fstatSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { isInside } from "@gantry/sdk/node";
import { close, openPath, struct, syscall } from "./kernel.ts";

const EXECUTE = 1 << 0;
const WRITE_FILE = 1 << 1;
const READ_FILE = 1 << 2;
const READ_DIR = 1 << 3;
const REMOVE = (1 << 4) | (1 << 5);
const MAKE_DIR = 1 << 7;
const MAKE_REG = 1 << 8;
const MAKE_SOCK = 1 << 9;
const MAKE_FIFO = 1 << 10;
const MAKE_SYM = 1 << 12;
const REFER = 1 << 13;
const TRUNCATE = 1 << 14;
const IOCTL_DEV = 1 << 15;

const READ = EXECUTE | READ_FILE | READ_DIR;
const WRITE = WRITE_FILE | REMOVE | MAKE_DIR | MAKE_REG | MAKE_SOCK | MAKE_FIFO | MAKE_SYM | REFER | TRUNCATE;
const ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;

const TCP = 0b11;
const SCOPES = 0b11;
const PATH_BENEATH = 1;

/**
 * Returns every right that a Landlock level knows; whatever is handled and not granted is denied.
 */
function handled(abi: number): number {
  const firstLevel = (1 << 13) - 1;
  return firstLevel | (abi >= 2 ? REFER : 0) | (abi >= 3 ? TRUNCATE : 0) | (abi >= 5 ? IOCTL_DEV : 0);
}

/** Returns the Landlock level of this kernel; 0 if it has none. */
export function landlockAbi(): number {
  try {
    return syscall("landlock_create_ruleset", null, 0, 1);
  } catch {
    return 0;
  }
}

export interface Grants {
  /** Real paths; what does not exist is skipped. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Files that are neither executed nor read: a loader, and a copy, needs only to read them. */
  readonly blocked: readonly string[];
}

/**
 * Restricts the calling thread, and all that it starts, for good. `no_new_privs` must be set.
 * Throws KernelError.
 */
export function restrictFiles(grants: Grants, abi: number): void {
  const rights = handled(abi);
  const attributes = struct(
    [8, rights],
    ...(abi >= 4 ? [[8, TCP] as const] : []),
    ...(abi >= 6 ? [[8, SCOPES] as const] : []),
  );
  const descriptor = syscall("landlock_create_ruleset", attributes, attributes.length, 0);
  const ruleset = new Ruleset(descriptor, rights, grants.blocked);
  try {
    for (const one of grants.read) ruleset.allowReading(one);
    for (const one of grants.write) ruleset.allow(one, WRITE);
    syscall("landlock_restrict_self", descriptor, 0);
  } finally {
    close(descriptor);
  }
}

class Ruleset {
  readonly #descriptor: number;
  readonly #rights: number;
  readonly #blocked: readonly string[];
  readonly #inodes: ReadonlySet<string>;

  constructor(descriptor: number, rights: number, blocked: readonly string[]) {
    this.#descriptor = descriptor;
    this.#rights = rights;
    this.#blocked = blocked.filter((file) => existsSync(file));
    this.#inodes = new Set(this.#blocked.map((file) => inode(statSync(file))));
  }

  /**
   * Allows reading and executing, but for what is blocked. Landlock cannot take away, so what
   * stands beside that is named one by one.
   */
  allowReading(at: string): void {
    if (!this.#holdsBlocked(at)) return this.allow(at, READ);
    this.allow(at, READ_DIR);
    this.#allowBeside(at);
  }

  allow(at: string, rights: number): void {
    if (!existsSync(at)) return;
    const fd = openPath(at);
    try {
      const about = fstatSync(fd);
      const blocked = this.#inodes.has(inode(about)) ? READ : 0;
      const fitting = rights & this.#rights & (about.isDirectory() ? ~0 : ON_FILES) & ~blocked;
      if (fitting) {
        const rule = struct([8, fitting], [4, fd]);
        syscall("landlock_add_rule", this.#descriptor, PATH_BENEATH, rule, 0);
      }
    } finally {
      close(fd);
    }
  }

  /** Links are passed over: what they lead to is allowed, or not, by its own name. */
  #allowBeside(folder: string): void {
    if (!statSync(folder).isDirectory()) return;
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const at = path.join(folder, entry.name);
      if (entry.isSymbolicLink()) continue;
      if (this.#holdsBlocked(at)) this.#allowBeside(at);
      else this.allow(at, READ);
    }
  }

  #holdsBlocked(at: string): boolean {
    return this.#blocked.some((file) => isInside(file, at));
  }
}

const inode = ({ dev, ino }: { readonly dev: number; readonly ino: number }): string => `${dev}:${ino}`;
