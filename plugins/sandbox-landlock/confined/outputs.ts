import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { close, pipe } from "../kernel/kernel.ts";

/** One pipe from a program to this thread. */
export interface Output {
  /** The descriptor that the program gets. */
  readonly write: number;
  closeWrite(): void;
  read(): Readable;
}

export interface Outputs {
  open(): Output;
}

/** Pipes of the kernel, so that a program can open /dev/stdout and /dev/stderr by name. */
export const outputs: Outputs = {
  open() {
    const [read, write] = pipe();
    return {
      write,
      closeWrite: () => void close(write),
      read: () => new Socket({ fd: read, readable: true, writable: false }),
    };
  },
};
