import { denied } from "./device.ts";
import { errors } from "./errors.ts";
import {
  descriptorIn,
  flags,
  lineInfoOf,
  lineRequest,
  readChipInfo,
  readLineInfo,
  requests,
  sizes,
  type ChipInfo,
  type LineInfo,
} from "./gpio-abi.ts";
import type { GpioKernel, KernelError } from "./gpio-kernel.ts";
import type { GpioSettings, LineSettings } from "./settings.ts";

/** The name that the kernel shows to others for what is held here. */
const CONSUMER = "gantry";

const biasFlags = { "pull-up": flags.pullUp, "pull-down": flags.pullDown, off: flags.biasOff } as const;

/** A chip while it is looked at and lines are claimed; the lines outlive its closing. */
export class OpenChip implements Disposable {
  readonly info: ChipInfo;
  readonly #kernel: GpioKernel;
  readonly #settings: GpioSettings;
  readonly #fd: number;

  private constructor(kernel: GpioKernel, settings: GpioSettings, fd: number, info: ChipInfo) {
    this.#kernel = kernel;
    this.#settings = settings;
    this.#fd = fd;
    this.info = info;
  }

  /** Throws PERIPHERAL_CONNECT, GPIO_DENIED. */
  static async open(kernel: GpioKernel, settings: GpioSettings): Promise<OpenChip> {
    const { name, path } = settings;
    const obstacle = await kernel.obstacle(path);
    if (obstacle) throw errors.PERIPHERAL_CONNECT(name, path, obstacle.cause, obstacle.cure);
    let fd: number;
    try {
      fd = kernel.open(path);
    } catch (error) {
      const { code } = error as KernelError;
      if (code === "EACCES" || code === "EPERM")
        throw errors.GPIO_DENIED(name, path, (await denied(path, "gpio")).cure);
      throw errors.PERIPHERAL_CONNECT(
        name,
        path,
        `it cannot be opened (${code})`,
        "plug it in, or check the path",
      );
    }
    try {
      const bytes = new Uint8Array(sizes.chipInfo);
      kernel.ioctl(fd, requests.chipInfo, bytes);
      return new OpenChip(kernel, settings, fd, readChipInfo(bytes));
    } catch (error) {
      kernel.close(fd);
      const cause = `it is no GPIO chip (${(error as KernelError).code})`;
      throw errors.PERIPHERAL_CONNECT(name, path, cause, "name a chip such as /dev/gpiochip0");
    }
  }

  /** Returns the holder of a line. Throws PERIPHERAL_CONNECT. */
  look({ name, offset }: LineSettings): LineInfo {
    const { lines } = this.info;
    if (offset >= lines)
      throw this.#failed(
        `it has no line ${offset} for ${name}, only 0 to ${lines - 1}`,
        "correct the offset",
      );
    const bytes = lineInfoOf(offset);
    try {
      this.#kernel.ioctl(this.#fd, requests.lineInfo, bytes);
      return readLineInfo(bytes);
    } catch (error) {
      const { code } = error as KernelError;
      // A chip that knows its lines and not this call is of a kernel before 5.10.
      if (code === "EINVAL" || code === "ENOTTY")
        throw this.#failed(
          "the kernel lacks the second version of the GPIO interface",
          "use Linux 5.10 or newer",
        );
      throw this.#failed(`the kernel does not say who holds ${name} (${code})`, "see the kernel's log");
    }
  }

  /** Claims a line and gives its descriptor. Throws PERIPHERAL_CONNECT. */
  claim(line: LineSettings): number {
    const { name, offset, direction, initial } = line;
    const before = this.look(line);
    if (before.used) throw this.#taken(line, before);
    const request = lineRequest({
      offset,
      consumer: CONSUMER,
      flags: flagsOf(line),
      ...(direction === "out" && { value: initial }),
    });
    try {
      this.#kernel.ioctl(this.#fd, requests.line, request);
      return descriptorIn(request);
    } catch (error) {
      const { code } = error as KernelError;
      if (code === "EBUSY") throw this.#taken(line, this.look(line));
      const cause = `the kernel does not give ${name} (line ${offset}) as it is configured (${code})`;
      throw this.#failed(cause, "check its direction and bias");
    }
  }

  [Symbol.dispose](): void {
    this.#kernel.close(this.#fd);
  }

  #taken({ name, offset }: LineSettings, info: LineInfo): Error {
    return this.#failed(
      `${name} (line ${offset}) is taken by ${consumerOf(info)}`,
      "end what uses it, or name another line",
    );
  }

  #failed(cause: string, cure: string): Error {
    return errors.PERIPHERAL_CONNECT(this.#settings.name, this.#settings.path, cause, cure);
  }
}

/** Returns the holder of a line, in words. */
export function consumerOf({ consumer }: LineInfo): string {
  return consumer === "" ? "the kernel" : `the consumer \`${consumer}\``;
}

function flagsOf({ direction, activeLow, bias }: LineSettings): number {
  const way = direction === "out" ? flags.output : flags.input;
  return way | (activeLow ? flags.activeLow : 0) | (bias ? biasFlags[bias] : 0);
}
