import { execFile } from "node:child_process";

/**
 * Tells the service manager of systemd that the service is ready, that it lives, and that it stops.
 * Node has no sockets of datagrams by path, so systemd's own program says it. Nothing is told where
 * no such manager started this process.
 */
export class ManagerNotice {
  readonly #socket: string | undefined;
  readonly #watchdogMs: number;
  #timer: NodeJS.Timeout | undefined;

  /**
   * Takes what names the manager out of the environment: nothing that is started here may speak to
   * it.
   */
  constructor(env: NodeJS.ProcessEnv) {
    this.#socket = env["NOTIFY_SOCKET"];
    this.#watchdogMs = Number(env["WATCHDOG_USEC"] ?? 0) / 1_000;
    for (const name of ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]) delete env[name];
  }

  /** A loop that hangs lets the time run out, and the manager starts the service again. */
  ready(): void {
    this.#tell("READY=1");
    if (this.#socket && this.#watchdogMs > 0)
      this.#timer = setInterval(() => this.#tell("WATCHDOG=1"), this.#watchdogMs / 2).unref();
  }

  stopping(): void {
    clearInterval(this.#timer);
    this.#tell("STOPPING=1");
  }

  #tell(state: string): void {
    if (this.#socket === undefined) return;
    const env = { PATH: process.env["PATH"], NOTIFY_SOCKET: this.#socket };
    execFile("systemd-notify", [state], { env, timeout: 10_000 }, (error) => {
      if (error) process.stderr.write(`systemd could not be told ${state}: ${error.message}\n`);
    });
  }
}
