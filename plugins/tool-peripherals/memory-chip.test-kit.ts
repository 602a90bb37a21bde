import { KernelError, type GpioKernel } from "./gpio-kernel.ts";

/** A line of the chip as the kernel keeps it. */
export interface MemoryLine {
  consumer: string;
  value: 0 | 1;
  flags: number;
}

const INPUT = 1 << 2;
const OUTPUT = 1 << 3;

/**
 * A GPIO chip in memory behind the kernel's own calls, read from include/uapi/linux/gpio.h by
 * itself: it decodes what it is asked and refuses what the kernel refuses.
 */
export class MemoryChip {
  readonly lines: MemoryLine[];
  /** Calls of each kind, by their number. */
  readonly asked: number[] = [];
  /** False: a kernel before 5.10, which knows the chip and none of the newer calls. */
  isNew = true;
  isPlugged = true;
  /** The error with which opening the chip is refused. */
  refuses: string | undefined;
  readonly #label: string;
  /** The meaning of each descriptor: the chip, or a line. */
  readonly #open = new Map<number, "chip" | number>();
  #next = 100;

  constructor(lines: number, label: string = "memory") {
    this.#label = label;
    this.lines = Array.from({ length: lines }, () => ({ consumer: "", value: 0, flags: 0 }));
  }

  /** Returns the number of open descriptors. */
  get open(): number {
    return this.#open.size;
  }

  readonly kernel = async (): Promise<GpioKernel> => ({
    obstacle: async () => undefined,
    open: () => {
      if (this.refuses !== undefined) throw new KernelError(this.refuses);
      if (!this.isPlugged) throw new KernelError("ENOENT");
      return this.#hand("chip");
    },
    ioctl: (fd, request, data) => this.#ioctl(fd, request, data),
    close: (fd) => {
      const what = this.#open.get(fd);
      if (what === undefined) throw new KernelError("EBADF");
      if (typeof what === "number") this.lines[what]!.consumer = "";
      this.#open.delete(fd);
    },
  });

  #ioctl(fd: number, request: number, data: Uint8Array): void {
    this.asked.push(request);
    const what = this.#open.get(fd);
    if (what === undefined) throw new KernelError("EBADF");
    if (!this.isPlugged) throw new KernelError("ENODEV");
    // The size that the number itself holds, as the kernel copies it.
    if (data.length !== ((request >>> 16) & 0x3fff)) throw new KernelError("EFAULT");
    const at = new DataView(data.buffer, data.byteOffset, data.byteLength);
    const number = request & 0xff;
    if (number === 1 && what === "chip") {
      data.set(new TextEncoder().encode(this.#label), 32);
      at.setUint32(64, this.lines.length, true);
    } else if (!this.isNew) throw new KernelError("EINVAL");
    else if (number === 5 && what === "chip") this.#tell(at, data);
    else if (number === 7 && what === "chip") this.#claim(at, data);
    else if (number === 0xe && typeof what === "number")
      at.setBigUint64(0, BigInt(this.lines[what]!.value), true);
    else if (number === 0xf && typeof what === "number") this.#set(at, this.lines[what]!);
    else throw new KernelError("EINVAL");
  }

  #tell(at: DataView, data: Uint8Array): void {
    const line = this.lines[at.getUint32(64, true)];
    if (!line) throw new KernelError("EINVAL");
    data.set(new TextEncoder().encode(line.consumer), 32);
    at.setBigUint64(72, BigInt(line.flags | (line.consumer === "" ? 0 : 1)), true);
  }

  #claim(at: DataView, data: Uint8Array): void {
    const offset = at.getUint32(0, true);
    const line = this.lines[offset];
    if (!line || at.getUint32(560, true) !== 1) throw new KernelError("EINVAL");
    if (line.consumer !== "") throw new KernelError("EBUSY");
    line.flags = Number(at.getBigUint64(288, true));
    line.consumer = new TextDecoder().decode(data.subarray(256, 288)).replaceAll("\0", "");
    if ((line.flags & OUTPUT) !== 0) {
      const isSet = at.getUint32(296, true) === 1 && at.getUint32(320, true) === 2;
      line.value = isSet && at.getBigUint64(328, true) === 1n ? 1 : 0;
    }
    at.setInt32(588, this.#hand(offset), true);
  }

  #set(at: DataView, line: MemoryLine): void {
    if ((line.flags & INPUT) !== 0) throw new KernelError("EPERM");
    if (at.getBigUint64(8, true) === 1n) line.value = at.getBigUint64(0, true) === 1n ? 1 : 0;
  }

  #hand(what: "chip" | number): number {
    this.#next += 1;
    this.#open.set(this.#next, what);
    return this.#next;
  }
}
