import { getSystemErrorName } from "node:util";
import koffi from "koffi";
import { type Machine, type Syscall, machineOf, syscallNumber } from "./syscalls.ts";

/** A call that the kernel answered with an error. */
export class KernelError extends Error {
  readonly errno: number;
  constructor(call: string, errno: number) {
    super(`${call}: ${getSystemErrorName(-errno)}`);
    this.errno = errno;
  }
}

type Argument = number | Uint8Array | null;

const ENOSYS = 38;
const libc = koffi.load(null);
const bySignature = new Map<string, ReturnType<typeof libc.func>>();

export const machine: Machine | undefined = machineOf(process.arch);

/**
 * Makes a system call by name, for those that libc does not have. Throws KernelError; buffers are
 * passed by address.
 */
export function syscall(name: Syscall, ...args: readonly Argument[]): number {
  const number = machine && syscallNumber(machine, name);
  if (number === undefined) throw new KernelError(name, ENOSYS);
  const types = args.map((arg) => (typeof arg === "number" ? "long" : "void *"));
  return invoke(name, "syscall", ["long", ...types], [number, ...args]);
}

/** Calls a function of libc. `types`: C types. Throws KernelError if it returns less than zero. */
export function libcCall(
  name: string,
  types: readonly string[],
  ...args: readonly (Argument | string)[]
): number {
  return invoke(name, name, types, args);
}

function invoke(label: string, symbol: string, types: readonly string[], args: readonly unknown[]): number {
  const key = `${symbol}(${types.join()})`;
  let found = bySignature.get(key);
  if (!found)
    bySignature.set(key, (found = libc.func(symbol, symbol === "syscall" ? "long" : "int", [...types])));
  const result = Number(found(...args));
  if (result < 0) throw new KernelError(label, koffi.errno());
  return result;
}

/** Returns little-endian words in a row: `[4, 1]` is a 32-bit one. */
export function struct(
  ...fields: readonly (readonly [bytes: 2 | 4 | 8, value: number | bigint])[]
): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(fields.reduce((sum, [size]) => sum + size, 0)));
  let at = 0;
  for (const [size, value] of fields) {
    if (size === 8) bytes.setBigUint64(at, BigInt.asUintN(64, BigInt(value)), true);
    else if (size === 4) bytes.setUint32(at, Number(value) >>> 0, true);
    else bytes.setUint16(at, Number(value), true);
    at += size;
  }
  return new Uint8Array(bytes.buffer);
}

/** Returns the address of a buffer; the caller keeps the buffer alive while the kernel reads it. */
export function addressOf(buffer: Uint8Array): bigint {
  return BigInt(koffi.address(buffer));
}

const O_PATH = 0x200000;
const O_CLOEXEC = 0x80000;

/** Opens a descriptor that only names a file. Throws KernelError. */
export function openPath(path: string, flags = 0): number {
  return libcCall("open", ["const char *", "int", "int"], path, O_PATH | O_CLOEXEC | flags, 0);
}
export const close = (fd: number): number => libcCall("close", ["int"], fd);

/** Opens both ends of a pipe, close-on-exec: [read, write]. */
export function pipe(): readonly [number, number] {
  const ends = new Int32Array(2);
  libcCall("pipe2", ["void *", "int"], new Uint8Array(ends.buffer), O_CLOEXEC);
  return [ends[0]!, ends[1]!];
}

/** Calls prctl(2) with whole numbers. */
export function prctl(option: number, ...args: readonly number[]): number {
  const [a = 0, b = 0, c = 0, d = 0] = args;
  return libcCall("prctl", ["int", "ulong", "ulong", "ulong", "ulong"], option, a, b, c, d);
}

export const ioctl = (fd: number, request: number, data: Uint8Array): number =>
  libcCall("ioctl", ["int", "ulong", "void *"], fd, request, data);

/** Returns what ends this process at once, without a word to anybody. */
export const ending = (): ((code: number) => void) => libc.func("_exit", "void", ["int"]);
