import { errors } from "./errors.ts";
import { lineValues, readValue, requests } from "./gpio-abi.ts";
import type { GpioKernel, KernelError, OpenKernel } from "./gpio-kernel.ts";
import { consumerOf, OpenChip } from "./open-chip.ts";
import type { GpioSettings, LineSettings } from "./settings.ts";

/** The device behind a descriptor has gone. */
const GONE = new Set(["ENODEV", "ENXIO", "EBADF", "EIO"]);

/**
 * One configured chip: each line is claimed on first use, held until the end, and claimed again
 * after it was unplugged.
 */
export class GpioChip {
  readonly settings: GpioSettings;
  readonly #openKernel: OpenKernel;
  readonly #held = new Map<string, number>();
  #kernel: GpioKernel | undefined;
  #closed = false;

  constructor(settings: GpioSettings, openKernel: OpenKernel) {
    this.settings = settings;
    this.#openKernel = openKernel;
  }

  /** Throws PERIPHERAL_UNKNOWN, PERIPHERAL_CONNECT, GPIO_DENIED. */
  async read(name: string): Promise<0 | 1> {
    const values = lineValues(0);
    await this.#call(this.#line(name), requests.getValues, values);
    return readValue(values);
  }

  /**
   * An input is refused before the kernel is asked: PERIPHERAL_INPUT; else throws as reading does.
   */
  async write(name: string, value: 0 | 1): Promise<void> {
    const line = this.#line(name);
    if (line.direction === "in") throw errors.PERIPHERAL_INPUT(name, this.settings.name);
    await this.#call(line, requests.setValues, lineValues(value));
  }

  /** Claims every output, so that each has its first value and keeps what it is given. */
  async claimOutputs(): Promise<void> {
    for (const line of this.settings.lines.values()) {
      if (line.direction === "out") await this.#claim(line);
    }
  }

  /**
   * The chip's own name, and which lines somebody else holds. Claims nothing. Throws
   * PERIPHERAL_CONNECT, GPIO_DENIED.
   */
  async describe(): Promise<{ readonly label: string; readonly taken: readonly string[] }> {
    using chip = await OpenChip.open(await this.#linked(), this.settings);
    const taken = [...this.settings.lines.values()]
      .filter(({ name }) => !this.#held.has(name))
      .map((line) => ({ name: line.name, info: chip.look(line) }))
      .filter(({ info }) => info.used)
      .map(({ name, info }) => `${name} is taken by ${consumerOf(info)}`);
    return { label: chip.info.label, taken };
  }

  /** Lets every line go, for good. */
  close(): void {
    this.#closed = true;
    this.#letGo();
  }

  /** Throws PERIPHERAL_UNKNOWN. */
  #line(name: string): LineSettings {
    const { name: chip, lines } = this.settings;
    const found = lines.get(name);
    if (!found) throw errors.PERIPHERAL_UNKNOWN(name, chip, [...lines.keys()].join(", "));
    return found;
  }

  async #call(line: LineSettings, request: number, values: Uint8Array): Promise<void> {
    const fd = await this.#claim(line);
    const kernel = await this.#linked();
    try {
      kernel.ioctl(fd, request, values);
    } catch (error) {
      const { code } = error as KernelError;
      const isGone = GONE.has(code);
      if (isGone) this.#letGo();
      const { name, path } = this.settings;
      throw isGone
        ? errors.PERIPHERAL_CONNECT(name, path, "it was unplugged", "plug it in and call again")
        : errors.PERIPHERAL_CONNECT(name, path, `the kernel refused it (${code})`, "see the kernel's log");
    }
  }

  /**
   * The descriptor of the line. Between the look for one that is held and the claim nothing else
   * runs.
   */
  async #claim(line: LineSettings): Promise<number> {
    const known = this.#held.get(line.name);
    if (known !== undefined) return known;
    using chip = await OpenChip.open(await this.#linked(), this.settings);
    const other = this.#held.get(line.name);
    if (other !== undefined) return other;
    if (this.#closed) throw errors.PERIPHERAL_CLOSED(this.settings.name);
    const fd = chip.claim(line);
    this.#held.set(line.name, fd);
    return fd;
  }

  #letGo(): void {
    for (const fd of this.#held.values()) this.#kernel?.close(fd);
    this.#held.clear();
  }

  async #linked(): Promise<GpioKernel> {
    this.#kernel ??= await this.#openKernel();
    return this.#kernel;
  }
}
