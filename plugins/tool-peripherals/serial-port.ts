import { readSync, writeSync } from "node:fs";
import { isatty } from "node:tty";
import type { LinuxPortBinding } from "@serialport/bindings-cpp";
import { denied, holders, obstacleAt } from "./device.ts";
import type { Obstacle } from "./device-kind.ts";
import { errors } from "./errors.ts";
import type { SerialSettings } from "./settings.ts";

/** The port has gone: it was unplugged, or its other end was closed. */
export class PortGone extends Error {}

/** At most what the kernel keeps for a port that nobody reads. */
const CHUNK_BYTES = 4_096;

/**
 * An open port. The package sets the speed, takes the lock and tells events; reading and writing is
 * done here, since its own reading goes round and round on a port that was unplugged, where every
 * read gives no bytes and no error.
 */
export class SerialPort {
  readonly #port: LinuxPortBinding;
  readonly #waiting = new Map<"readable" | "writable", Promise<void>>();
  #gone = false;

  private constructor(port: LinuxPortBinding) {
    this.#port = port;
    // Noticed at once and closed, so that the device keeps its name when it is plugged in again.
    port.poller.once("disconnect", () => void this.close());
  }

  /** Throws PERIPHERAL_CONNECT. The line that resets many boards is not dropped on close. */
  static async open({ name, path, baud }: SerialSettings): Promise<SerialPort> {
    const fail = ({ cause, cure }: Obstacle): never => {
      throw errors.PERIPHERAL_CONNECT(name, path, cause, cure);
    };
    const obstacle = await obstacleAt(path, "serial");
    if (obstacle) return fail(obstacle);
    const { autoDetect } = await import("@serialport/bindings-cpp");
    const options = { path, baudRate: baud, hupcl: false };
    const opening = autoDetect().open(options) as Promise<LinuxPortBinding>;
    const port = await opening.catch(async ({ message }: Error) => fail(await obstacleIn(message, path)));
    if (port.fd !== null && isatty(port.fd)) return new SerialPort(port);
    await port.close();
    return fail({ cause: "it is no serial port", cure: "name a serial port in config.toml" });
  }

  /** False once it was closed or unplugged. */
  get isOpen(): boolean {
    return !this.#gone;
  }

  /** Returns the unread bytes without waiting; undefined if there are none. Throws PortGone. */
  take(): Buffer | undefined {
    const buffer = Buffer.alloc(CHUNK_BYTES);
    const read = this.#now((fd) => readSync(fd, buffer, 0, CHUNK_BYTES, null));
    // A port that is there has bytes or says that it has none yet.
    if (read === 0) throw this.#lost();
    return read === undefined ? undefined : buffer.subarray(0, read);
  }

  /** Waits for bytes; undefined if the signal came first. Throws PortGone. */
  async read(signal: AbortSignal): Promise<Buffer | undefined> {
    for (;;) {
      const bytes = this.take();
      if (bytes || signal.aborted) return bytes;
      await this.#event("readable", signal);
    }
  }

  /** Returns false if the signal came before all was handed to the kernel. Throws PortGone. */
  async write(bytes: Buffer, signal: AbortSignal): Promise<boolean> {
    for (let at = 0; at < bytes.length;) {
      const written = this.#now((fd) => writeSync(fd, bytes, at));
      at += written ?? 0;
      if (written === undefined) {
        if (signal.aborted) return false;
        await this.#event("writable", signal);
      }
    }
    return true;
  }

  /** Forgets what waits in the kernel, both ways. */
  async flush(): Promise<void> {
    if (this.isOpen) await this.#port.flush();
  }

  async close(): Promise<void> {
    if (this.#gone) return;
    this.#gone = true;
    // Bytes that nobody takes would hold up the closing for half a minute.
    await this.#port.flush().catch(() => undefined);
    await this.#port.close().catch(() => undefined);
  }

  /** Returns undefined if the kernel would have waited. */
  #now(work: (fd: number) => number): number | undefined {
    const { fd } = this.#port;
    if (this.#gone || fd === null) throw this.#lost();
    try {
      return work(fd);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") return undefined;
      throw this.#lost();
    }
  }

  #lost(): PortGone {
    void this.close();
    return new PortGone();
  }

  async #event(name: "readable" | "writable", signal: AbortSignal): Promise<void> {
    let event = this.#waiting.get(name);
    if (!event) {
      event = new Promise((resolve) => this.#port.poller.once(name, () => resolve()));
      this.#waiting.set(name, event);
      void event.then(() => this.#waiting.delete(name));
    }
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const stop = (): void => resolve();
    signal.addEventListener("abort", stop, { once: true });
    if (!signal.aborted) await Promise.race([event, aborted]);
    signal.removeEventListener("abort", stop);
  }
}

/** The package tells what the kernel said in words alone. */
async function obstacleIn(message: string, path: string): Promise<Obstacle> {
  if (/Permission denied/i.test(message)) return denied(path, "serial");
  if (/lock port|busy/i.test(message))
    return { cause: `it is busy, used by ${await holders(path)}`, cure: "end the program that uses it" };
  const cause = message.replace(/^Error:?\s*/, "");
  return { cause, cure: "check the cable, the speed and that it is a serial port" };
}
