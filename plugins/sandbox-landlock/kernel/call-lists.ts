import type { Syscall } from "./syscalls.ts";

/**
 * io_uring_enter is not among them: the thread's own event loop made its ring before, and nobody
 * else can make one.
 */
export const forbidden: readonly Syscall[] = [
  ...(["ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd"] as const),
  ...([
    "mount",
    "umount2",
    "pivot_root",
    "chroot",
    "move_mount",
    "open_tree",
    "open_tree_attr",
    "fsopen",
    "fsconfig",
  ] as const),
  ...([
    "fsmount",
    "fspick",
    "mount_setattr",
    "swapon",
    "swapoff",
    "reboot",
    "acct",
    "quotactl",
    "quotactl_fd",
  ] as const),
  ...([
    "sethostname",
    "setdomainname",
    "settimeofday",
    "clock_settime",
    "clock_adjtime",
    "adjtimex",
    "syslog",
  ] as const),
  ...([
    "iopl",
    "ioperm",
    "modify_ldt",
    "vhangup",
    "fanotify_init",
    "inotify_add_watch",
    "open_by_handle_at",
  ] as const),
  // A user, or the machine, has few of these, and no group counts them; the memory of the last is
  // swapped to nowhere.
  ...(["inotify_init", "inotify_init1", "io_setup", "memfd_secret"] as const),
  "pidfd_send_signal",
  ...(["bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_register"] as const),
  ...(["kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module"] as const),
  ...([
    "keyctl",
    "add_key",
    "request_key",
    "migrate_pages",
    "move_pages",
    "uselib",
    "lookup_dcookie",
    "file_setattr",
  ] as const),
  ...(["shmget", "shmat", "shmctl", "msgget", "msgsnd", "msgrcv", "msgctl", "mq_open", "mq_unlink"] as const),
  ...(["semget", "semop", "semtimedop", "semctl"] as const),
];

/** Programs expect files without attributes to be possible. */
export const unsupported: readonly Syscall[] = [
  ...(["setxattr", "lsetxattr", "fsetxattr", "setxattrat"] as const),
  ...(["removexattr", "lremovexattr", "fremovexattr", "removexattrat"] as const),
];

/** Calls by which a run in a view meets what an overlay cannot do. */
export const viewCalls: readonly Syscall[] = ["rename", "renameat", "renameat2", "link", "linkat"];

/**
 * All that is left to a process that only parses: no path, no socket, no other process. The event
 * loop made a ring of io_uring before, which could open and connect; io_uring_enter is not among
 * these, so the kernel never looks at that ring again.
 */
export const computing: readonly Syscall[] = [
  ...(["read", "readv", "write", "writev", "close", "epoll_wait", "epoll_pwait"] as const),
  ...(["brk", "mmap", "munmap", "mremap", "mprotect", "pkey_mprotect"] as const),
  ...(["madvise", "membarrier"] as const),
  ...(["futex", "sched_yield", "sched_getaffinity", "nanosleep", "clock_nanosleep"] as const),
  ...(["clock_gettime", "clock_getres", "gettimeofday", "getrusage", "getrandom"] as const),
  ...(["rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack"] as const),
  ...(["getpid", "gettid", "restart_syscall", "exit", "exit_group"] as const),
];
