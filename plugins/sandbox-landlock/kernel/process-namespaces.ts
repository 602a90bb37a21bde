import { libcCall, syscall } from "./kernel.ts";

const CLONE_NEWPID = 0x20000000;
const O_RDONLY_CLOEXEC = 0x80000;

/** Starts each run as the first process of a process namespace of its own; the kernel ends all others in there with it. */
export class ProcessNamespaces {
  readonly #own: number = libcCall("open", ["const char *", "int"], "/proc/self/ns/pid", O_RDONLY_CLOEXEC);

  /** Throws KernelError. */
  within<T>(start: () => T): T {
    syscall("unshare", CLONE_NEWPID);
    try {
      return start();
    } finally {
      // Until then this process could make no thread.
      syscall("setns", this.#own, CLONE_NEWPID);
    }
  }
}
