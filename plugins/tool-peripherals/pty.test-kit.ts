import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";

/**
 * A device at the far end of a real pseudo terminal, held by socat; it may be unplugged and plugged
 * in again.
 */
export class PtyDevice implements AsyncDisposable {
  /** The path of the port, as config.toml names it. */
  readonly path: string;
  /** All that was sent to the device. */
  received: Buffer = Buffer.alloc(0);
  /** Returns the device's answer to what was sent; by default nothing. */
  answers: (sent: Buffer) => string | Buffer | undefined = () => undefined;
  readonly #folder: string;
  #socat: ChildProcessByStdio<Writable, Readable, null> | undefined;

  private constructor() {
    this.#folder = mkdtempSync(path.join(tmpdir(), "gantry-pty-"));
    this.path = path.join(this.#folder, "port");
  }

  static async plugIn(answers?: PtyDevice["answers"]): Promise<PtyDevice> {
    const device = new PtyDevice();
    if (answers) device.answers = answers;
    await device.plugIn();
    return device;
  }

  async plugIn(): Promise<void> {
    const socat = spawn("socat", [`pty,raw,echo=0,link=${this.path}`, "stdio"], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    socat.stdout.on("data", (bytes: Buffer) => {
      this.received = Buffer.concat([this.received, bytes]);
      const answer = this.answers(bytes);
      if (answer !== undefined) void this.say(answer);
    });
    socat.stdin.on("error", () => undefined);
    this.#socat = socat;
    await until(() => existsSync(this.path));
  }

  /** Resolves once socat has taken it all. */
  async say(text: string | Buffer): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#socat?.stdin.write(text, () => resolve());
    await promise;
  }

  async unplug(): Promise<void> {
    const socat = this.#socat;
    this.#socat = undefined;
    if (socat?.exitCode !== null || socat.signalCode !== null) return;
    socat.kill();
    await once(socat, "exit");
    await until(() => !existsSync(this.path));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.unplug();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Waits for something outside of this process that nobody tells of. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(5);
}
