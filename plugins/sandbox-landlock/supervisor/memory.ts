import { closeSync, openSync, readSync } from "node:fs";
import type { SyscallRequest } from "./arguments.ts";
import { KernelError } from "../kernel/kernel.ts";

/** Reads up to `length` bytes of the asking thread. Throws if its memory is closed to us. */
export function readMemory({ thread, check }: SyscallRequest, address: bigint, length: number): Uint8Array {
  const fd = openSync(`/proc/${thread}/mem`, "r");
  try {
    check();
    const bytes = new Uint8Array(length);
    return bytes.subarray(0, readSync(fd, bytes, 0, length, address));
  } finally {
    closeSync(fd);
  }
}

const PAGE = 4096;
const ENAMETOOLONG = 36;

/**
 * Reads the asking thread's path. Throws KernelError if it does not end within a page and a bit.
 */
export function readPath(request: SyscallRequest, address: bigint): string {
  const left = PAGE - Number(address % BigInt(PAGE));
  const first = readMemory(request, address, left);
  const bytes = first.includes(0)
    ? first
    : Buffer.concat([first, readMemory(request, address + BigInt(left), PAGE)]);
  const end = bytes.indexOf(0);
  if (end < 0) throw new KernelError("path", ENAMETOOLONG);
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, end));
}
