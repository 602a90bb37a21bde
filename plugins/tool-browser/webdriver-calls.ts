import { errors } from "./errors.ts";
import { LATE, type WebDriver } from "./webdriver.ts";

interface CallOptions {
  readonly driver: WebDriver;
  readonly session: string;
  readonly timeoutMs: number;
  /** Told once the session has ended. */
  forget(session: string): Promise<void>;
}

/**
 * An error that the driver reports of a page has a word of the protocol; a fault of the driver
 * itself has none.
 */
type DriverError = Error & { readonly word?: string };

const IN_THE_WAY = "unexpected alert open";
/** A driver gives a page its time, and says so within this. */
const MORE_MS = 15_000;
/** In the way of one call; a page with more would hold its conversation up for good. */
const MAX_DIALOGS = 30;

/**
 * The calls of one session at a driver: a dialog in the way is dismissed and told, a session that
 * is gone is known as such.
 */
export class WebDriverCalls {
  readonly #options: CallOptions;
  readonly #path: string;
  #ending: Promise<void> | undefined;
  #notes: string[] = [];

  constructor(options: CallOptions) {
    this.#options = options;
    this.#path = `/session/${encodeURIComponent(options.session)}`;
  }

  get alive(): boolean {
    return this.#ending === undefined;
  }

  /** Returns the events on the way, for the model; each is told once. */
  takeNotes(): readonly string[] {
    return this.#notes.splice(0);
  }

  async call(
    method: "GET" | "POST" | "DELETE",
    path: string,
    body?: Readonly<Record<string, unknown>>,
  ): Promise<any> {
    if (!this.alive) throw errors.BROWSER_LOST("it was closed");
    try {
      return await this.#ask(method, path, body);
    } catch (error) {
      const { word, message } = error as DriverError;
      const isGone = /invalid session id|disconnected|crashed|not reachable/.test(`${word} ${message}`);
      if (word === undefined || word === LATE || isGone) return this.lose(message);
      if (word === IN_THE_WAY) return this.lose("its page opened dialogs without end");
      throw error;
    }
  }

  /** Each answer that names a dialog has dismissed it. */
  async #ask(
    method: "GET" | "POST" | "DELETE",
    path: string,
    body?: Readonly<Record<string, unknown>>,
  ): Promise<unknown> {
    const { driver, timeoutMs } = this.#options;
    for (let dialogs = 1; ; dialogs++) {
      try {
        return await driver.call(method, this.#path + path, body, timeoutMs + MORE_MS);
      } catch (error) {
        if ((error as DriverError).word !== IN_THE_WAY || dialogs > MAX_DIALOGS) throw error;
        this.pass(error);
      }
    }
  }

  /** A page that is late is shown as it is; a dialog was dismissed. Gives what else went wrong. */
  async patiently(work: () => Promise<unknown>): Promise<string | undefined> {
    try {
      await work();
      return undefined;
    } catch (error) {
      const { word, message } = error as DriverError;
      if (word === undefined || !this.alive) throw error;
      if (word !== "timeout") return message;
      const seconds = this.#options.timeoutMs / 1000;
      this.#notes.push(`the page did not finish within ${seconds} s; this is what had come`);
      return undefined;
    }
  }

  /** A browser that does not even say what it shows is given up. */
  async surely<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const { word, message } = error as DriverError;
      if (this.alive && word === "timeout") return this.lose(message);
      throw error;
    }
  }

  /** Lets pass what the driver said of the page, and throws what is wrong with the driver. */
  pass(error: unknown): undefined {
    const { word, message } = error as DriverError;
    if (word === undefined) throw error;
    if (word === IN_THE_WAY) this.#notes.push(`a dialog was dismissed: ${message}`);
    return undefined;
  }

  /** Ends the session too: its browser may be there still. */
  lose(why: string): never {
    this.end().catch(() => undefined);
    throw errors.BROWSER_LOST(why);
  }

  end(): Promise<void> {
    return (this.#ending ??= this.#end());
  }

  async #end(): Promise<void> {
    const { driver, session, forget } = this.#options;
    const late = await driver.call("DELETE", this.#path).then(
      () => false,
      (error: unknown) => (error as DriverError).word === LATE,
    );
    // Else the next start asks for its end again.
    if (!late) await forget(session);
  }
}
