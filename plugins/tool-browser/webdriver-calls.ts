import { errors } from "./errors.ts";
import type { WebDriver } from "./webdriver.ts";

interface CallOptions {
  readonly driver: WebDriver;
  readonly session: string;
  readonly timeoutMs: number;
  /** Told once the session has ended. */
  forget(session: string): Promise<void>;
}

/** What the driver said of a page has a word of the protocol; what is wrong with the driver itself has none. */
type DriverError = Error & { readonly word?: string };

/** The calls of one session at a driver: a dialog in the way is dismissed and told, a session that is gone is known as such. */
export class WebDriverCalls {
  readonly #options: CallOptions;
  #alive = true;
  #notes: string[] = [];

  constructor(options: CallOptions) {
    this.#options = options;
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** What happened on the way, for the model; told once. */
  takeNotes(): readonly string[] {
    return this.#notes.splice(0);
  }

  async call(
    method: "GET" | "POST" | "DELETE",
    path: string,
    body?: Readonly<Record<string, unknown>>,
  ): Promise<any> {
    if (!this.#alive) throw errors.BROWSER_LOST("it was closed");
    const { driver, session } = this.#options;
    const ask = () => driver.call(method, `/session/${session}${path}`, body);
    try {
      return await ask().catch((error: unknown) => {
        if ((error as DriverError).word !== "unexpected alert open") throw error;
        this.pass(error);
        return ask();
      });
    } catch (error) {
      const { word, message } = error as DriverError;
      const isGone = /invalid session id|disconnected|crashed|not reachable/.test(`${word} ${message}`);
      if (word === undefined || isGone) return this.lose(message);
      throw error;
    }
  }

  /** A page that is late is shown as it is; a dialog was dismissed. Gives what else went wrong. */
  async patiently(work: () => Promise<unknown>): Promise<string | undefined> {
    try {
      await work();
      return undefined;
    } catch (error) {
      const { word, message } = error as DriverError;
      if (word === undefined || !this.#alive) throw error;
      if (word !== "timeout") return message;
      const seconds = this.#options.timeoutMs / 1000;
      this.#notes.push(`the page did not finish within ${seconds} s; this is what had come`);
      return undefined;
    }
  }

  /** Lets pass what the driver said of the page, and throws what is wrong with the driver. */
  pass(error: unknown): undefined {
    const { word, message } = error as DriverError;
    if (word === undefined) throw error;
    if (word === "unexpected alert open") this.#notes.push(`a dialog was dismissed: ${message}`);
    return undefined;
  }

  lose(why: string): never {
    this.#alive = false;
    void this.#options.forget(this.#options.session);
    throw errors.BROWSER_LOST(why);
  }

  async end(): Promise<void> {
    if (!this.#alive) return;
    this.#alive = false;
    const { driver, session, forget } = this.#options;
    await driver.call("DELETE", `/session/${session}`).catch(() => undefined);
    await forget(session);
  }
}
