import { existsSync, fstatSync } from "node:fs";
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

/** Every right that a Landlock level knows; whatever is handled and not granted is denied. */
function handled(abi: number): number {
  const firstLevel = (1 << 13) - 1;
  return firstLevel | (abi >= 2 ? REFER : 0) | (abi >= 3 ? TRUNCATE : 0) | (abi >= 5 ? IOCTL_DEV : 0);
}

/** The Landlock level of this kernel; 0 where there is none. */
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
}

/** Restricts the calling thread, and all that it starts, for good. `no_new_privs` must be set. Throws KernelError. */
export function restrictFiles(grants: Grants, abi: number): void {
  const rights = handled(abi);
  const attributes = struct(
    [8, rights],
    ...(abi >= 4 ? [[8, TCP] as const] : []),
    ...(abi >= 6 ? [[8, SCOPES] as const] : []),
  );
  const ruleset = syscall("landlock_create_ruleset", attributes, attributes.length, 0);
  try {
    for (const path of grants.read) grant(ruleset, path, READ & rights);
    for (const path of grants.write) grant(ruleset, path, WRITE & rights);
    syscall("landlock_restrict_self", ruleset, 0);
  } finally {
    close(ruleset);
  }
}

function grant(ruleset: number, path: string, rights: number): void {
  if (!existsSync(path)) return;
  const fd = openPath(path);
  try {
    const fitting = fstatSync(fd).isDirectory() ? rights : rights & ON_FILES;
    if (fitting) syscall("landlock_add_rule", ruleset, PATH_BENEATH, struct([8, fitting], [4, fd]), 0);
  } finally {
    close(fd);
  }
}
