import { prctl, struct, syscall } from "./kernel.ts";

const PR_SET_DUMPABLE = 4;
const PR_CAPBSET_DROP = 24;
const PR_SET_NO_NEW_PRIVS = 38;
const PR_CAP_AMBIENT = 47;
const PR_CAP_AMBIENT_CLEAR_ALL = 4;
const VERSION_3 = 0x20080522;
/**
 * CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER: work on files of the workspace that belong to somebody
 * else.
 */
const KEPT = (1 << 0) | (1 << 1) | (1 << 3);
const SYS_ADMIN = 1 << 21;
/** Without it no thread enters a mount namespace. */
const SYS_CHROOT = 1 << 18;
const CLOEXEC_RANGE = 4;

/**
 * Takes from the calling thread what it and its children never need; no program can win it back. In
 * a user namespace of its own it keeps the right to make namespaces, and with `views` to enter
 * those of mounts, which nothing that it starts gets.
 */
export function dropPrivileges(namespaces: boolean, views = false): void {
  gainNone();
  if (!namespaces && process.getuid?.() !== 0) return;
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL);
  for (let capability = 0; capability < 64; capability++) {
    if (capability < 32 && KEPT & (1 << capability)) continue;
    try {
      prctl(PR_CAPBSET_DROP, capability);
    } catch {
      break;
    }
  }
  const header = struct([4, VERSION_3], [4, 0]);
  const held = new Uint8Array(24);
  syscall("capget", header, held);
  const [effective, permitted] = new Uint32Array(held.buffer);
  const kept = KEPT | (namespaces ? SYS_ADMIN : 0) | (views ? SYS_CHROOT : 0);
  syscall(
    "capset",
    header,
    struct([4, effective! & kept], [4, permitted! & kept], [4, 0], [4, 0], [4, 0], [4, 0]),
  );
}

/** Keeps every program that this thread starts from having more rights than it. */
export function gainNone(): void {
  prctl(PR_SET_NO_NEW_PRIVS, 1);
}

/**
 * Closes this process to others of the same user: its memory, its descriptors under /proc, and no
 * core files.
 */
export function closeToOthers(): void {
  prctl(PR_SET_DUMPABLE, 0);
}

/** Descriptors that the service inherited from whoever started it are not for its children. */
export function closeOnExec(): void {
  syscall("close_range", 3, 0x7fffffff, CLOEXEC_RANGE);
}
