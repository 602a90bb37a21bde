import { computing, forbidden, unsupported, viewCalls } from "./call-lists.ts";
import { type Machine, type Syscall, machines, newestSyscall, syscallNumber } from "./syscalls.ts";

/** One BPF instruction: code, jump if true, jump if false, operand. */
type Instruction = readonly [code: number, jt: number, jf: number, k: number];

const LOAD = 0x20;
const AND = 0x54;
const EQUAL = 0x15;
const GREATER = 0x25;
const RETURN = 0x06;

const allow: readonly Instruction[] = [[RETURN, 0, 0, 0x7fff0000]];
const notify: readonly Instruction[] = [[RETURN, 0, 0, 0x7fc00000]];
const fail = (errno: number): readonly Instruction[] => [[RETURN, 0, 0, 0x00050000 | errno]];

const EPERM = 1;
const EACCES = 13;
const EBUSY = 16;
const ENOSYS = 38;
const ENOTSUP = 95;

const low = (argument: number): Instruction => [LOAD, 0, 0, 16 + 8 * argument];
const high = (argument: number): Instruction => [LOAD, 0, 0, 20 + 8 * argument];

/** Returns `yes` if an argument's low word (under a mask) is one of the values, and `no` if not. */
function match(
  argument: number,
  values: readonly number[],
  yes: readonly Instruction[],
  no: readonly Instruction[],
  mask = 0xffffffff,
): readonly Instruction[] {
  const tests = values.map((value, i): Instruction => [EQUAL, values.length - 1 - i + no.length, 0, value]);
  return [low(argument), [AND, 0, 0, mask], ...tests, ...no, ...yes];
}

/** Returns `yes` if a pointer argument is null, and `no` if not. */
function isNull(
  argument: number,
  yes: readonly Instruction[],
  no: readonly Instruction[],
): readonly Instruction[] {
  return [low(argument), [EQUAL, 0, 2, 0], high(argument), [EQUAL, no.length, 0, 0], ...no, ...yes];
}

const STREAM_TYPES = [1, 5];
const TYPE_MASK = 0xf;
const NAMESPACES_AND_PARENT = 0x7e020000 | 0x8000;
const CLONE_NEWPID = 0x20000000;
const CLONE_NEWNS = 0x20000;
const FASTOPEN = 0x20000000;
const NEW_LISTENER = 8;
const TRUNCATING_READ = 0x200;
const CREATE = 0x40;
/** Set-user-id and set-group-id. */
const OTHERS_RIGHTS = 0o6000;
/** Pushing input to a terminal, and changing a file's flags. */
const BAD_IOCTLS = [0x5412, 0x541c, 0x40086602, 0x40046602, 0x401c5820];

/**
 * Requests to a socket: all but those about its own owner and marks concern network interfaces,
 * which are the machine's.
 */
const SOCKETS = 0x8900;
const OF_SOCKET = [0x8903, 0x8904, 0x8905, 0x8906, 0x8907];
const SET_OWNER = [8, 15];
/** Whoever opens a leased file waits for up to 45 seconds, or is refused it. */
const SET_LEASE = 1024;

/**
 * All of btrfs and bcachefs, by their letter: their owners may make snapshots, of which Landlock is
 * not asked and over which no mask lies. Three that share the letter copy between open files on any
 * file system.
 */
const SNAPSHOTS = [0x9400, 0xbc00];
const LETTER = 0xff00;
const CLONES = [0x40049409, 0x4020940d, 0xc0189436];

/** Facts that differ from kernel to kernel and from configuration to configuration. */
export interface FilterFacts {
  readonly machine: Machine;
  /** The Landlock level in force: what it leaves open on old kernels is closed here. */
  readonly abi: number;
  /** True if TCP sockets may exist, to be connected by the supervisor. */
  readonly tcp: boolean;
  /** True if the process that starts runs makes a process namespace for each. */
  readonly namespaces: boolean;
  /** True if a group limits memory; if not, memory that no process maps is refused. */
  readonly memoryHeld: boolean;
  /** True if runs start in mount namespaces that another thread makes. */
  readonly views?: boolean;
}

const plainMode = (mode: number): readonly Instruction[] =>
  match(mode, [0], allow, fail(EPERM), OTHERS_RIGHTS);

/**
 * Returns the rules for the thread that starts runs, which makes a process namespace for each; a
 * thread without the capability is refused by the kernel.
 */
const rulesApart = (views: boolean): readonly (readonly [Syscall, readonly Instruction[]])[] => [
  ["unshare", match(0, [CLONE_NEWPID], allow, fail(EPERM))],
  ["setns", match(1, [CLONE_NEWPID, ...(views ? [CLONE_NEWNS] : [])], allow, fail(EPERM))],
];

function rules({
  abi,
  tcp,
  namespaces,
  memoryHeld,
  views = false,
}: FilterFacts): readonly (readonly [Syscall, readonly Instruction[]])[] {
  const each = (calls: readonly Syscall[], body: readonly Instruction[]) =>
    calls.map((call) => [call, body] as const);
  const own = match(0, [0], allow, fail(EPERM));
  const noFastOpen = (flags: number, then = allow) => match(flags, [0], then, fail(EACCES), FASTOPEN);
  const local = match(1, STREAM_TYPES, allow, fail(EACCES), TYPE_MASK);
  const remote = match(1, [1], match(2, [0, 6], allow, fail(EACCES)), fail(EACCES), TYPE_MASK);
  const neither = tcp ? match(0, [2, 10], remote, fail(EACCES)) : fail(EACCES);
  const reading = (flags: number) => match(flags, [TRUNCATING_READ], fail(EPERM), allow, TRUNCATING_READ | 3);
  const cloning = match(1, CLONES, allow, match(1, [...SNAPSHOTS, SOCKETS], fail(EPERM), allow, LETTER));
  const opening = (flags: number, mode: number) => {
    const rest = abi < 3 ? reading(flags) : allow;
    return match(flags, [0], rest, match(mode, [0], rest, fail(EPERM), OTHERS_RIGHTS), CREATE);
  };
  return [
    ["openat", opening(2, 3)],
    ["open", opening(1, 2)],
    ["openat2", fail(ENOSYS)],
    ["creat", match(1, [0], allow, fail(EPERM), OTHERS_RIGHTS)],
    ["mknod", match(1, [0], allow, fail(EPERM), OTHERS_RIGHTS)],
    ["mknodat", match(2, [0], allow, fail(EPERM), OTHERS_RIGHTS)],
    ...each(forbidden, fail(EPERM)),
    ...each(unsupported, fail(ENOTSUP)),
    ["connect", notify],
    ...each(["chmod", "fchmod"], plainMode(1)),
    ...each(["fchmodat", "fchmodat2"], plainMode(2)),
    ...(namespaces ? rulesApart(views) : each(["unshare", "setns"], fail(EPERM))),
    ...each(tcp ? ["listen"] : [], notify),
    ...each(views ? viewCalls : [], notify),
    ["clone", match(0, [0], allow, fail(EPERM), NAMESPACES_AND_PARENT)],
    ["clone3", fail(ENOSYS)],
    ...each(memoryHeld ? [] : ["memfd_create"], fail(ENOSYS)),
    ["ioctl", match(1, BAD_IOCTLS, fail(EPERM), match(1, OF_SOCKET, allow, cloning))],
    ["seccomp", match(0, [1], match(1, [0], allow, fail(EBUSY), NEW_LISTENER), allow)],
    ...each(["prlimit64", "sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr"], own),
    ["setpriority", match(0, [0, 1], match(1, [0], allow, fail(EPERM)), fail(EPERM))],
    ["ioprio_set", match(0, [1, 2], match(1, [0], allow, fail(EPERM)), fail(EPERM))],
    ["socket", match(0, [1], local, neither)],
    ["socketpair", local],
    ["sendto", isNull(4, noFastOpen(3), fail(EACCES))],
    ["sendmsg", noFastOpen(2)],
    ["sendmmsg", noFastOpen(3)],
    ["fcntl", match(1, [...SET_OWNER, SET_LEASE], fail(EPERM), allow)],
    ...each(abi < 3 ? ["truncate"] : [], fail(EPERM)),
  ];
}

/** Returns the program as the kernel wants it, eight bytes an instruction. */
export function compileFilter(facts: FilterFacts): Uint8Array {
  return compile(facts.machine, rules(facts), allow);
}

/**
 * Returns the program that refuses whatever {@link computing} does not name; `pid` may signal
 * itself, as it does to abort.
 */
export function compileComputing(machine: Machine, pid: number): Uint8Array {
  const kept = computing.map((call) => [call, allow] as const);
  return compile(machine, [...kept, ["tgkill", match(0, [pid], allow, fail(EPERM))]], fail(EPERM));
}

function compile(
  machine: Machine,
  steps: readonly (readonly [Syscall, readonly Instruction[]])[],
  otherwise: readonly Instruction[],
): Uint8Array {
  const program: Instruction[] = [
    [LOAD, 0, 0, 4],
    [EQUAL, 1, 0, machines[machine].audit],
    ...fail(EPERM),
    [LOAD, 0, 0, 0],
    [GREATER, 0, 1, newestSyscall],
    ...fail(ENOSYS),
  ];
  for (const [call, body] of steps) {
    const number = syscallNumber(machine, call);
    if (number !== undefined) program.push([EQUAL, 0, body.length, number], ...body);
  }
  program.push(...otherwise);
  const bytes = new DataView(new ArrayBuffer(program.length * 8));
  program.forEach(([code, jt, jf, k], i) => {
    bytes.setUint16(i * 8, code, true);
    bytes.setUint8(i * 8 + 2, jt);
    bytes.setUint8(i * 8 + 3, jf);
    bytes.setUint32(i * 8 + 4, k >>> 0, true);
  });
  return new Uint8Array(bytes.buffer);
}
