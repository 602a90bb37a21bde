import { asError } from "@gantry/sdk/node";
import type { Browser, StartBrowser } from "./browser.ts";
import { errors } from "./errors.ts";

interface Session {
  readonly browser: Promise<Browser>;
  readonly ending: AbortController;
  /** The end of what was asked of it last: one thing after another. */
  last: Promise<unknown>;
  timer?: NodeJS.Timeout;
}

/**
 * One browser a conversation, started by what first needs it, ended when idle, with its
 * conversation, and with `signal`.
 */
export class Sessions {
  readonly #start: StartBrowser;
  readonly #idleMs: number;
  readonly #signal: AbortSignal;
  readonly #sessions = new Map<string, Session>();

  constructor(start: StartBrowser, idleMs: number, signal: AbortSignal) {
    this.#start = start;
    this.#idleMs = idleMs;
    this.#signal = signal;
  }

  get open(): number {
    return this.#sessions.size;
  }

  /** The browser that a conversation has, where it has one that works. */
  async peek(id: string): Promise<Browser | undefined> {
    const browser = await this.#sessions.get(id)?.browser.catch(() => undefined);
    return browser?.alive ? browser : undefined;
  }

  /**
   * `fresh`: a browser that is missing or has ended is started. Throws `BROWSER_NO_PAGE` and
   * `BROWSER_LOST`.
   */
  async use<T>(id: string, fresh: boolean, work: (browser: Browser) => Promise<T>): Promise<T> {
    const session = await this.#find(id, fresh);
    clearTimeout(session.timer);
    const before = session.last;
    const done = (async () => {
      await before.catch(() => undefined);
      return work(await session.browser);
    })();
    session.last = done;
    try {
      return await done;
    } catch (error) {
      const browser = await session.browser.catch(() => undefined);
      if (!browser?.alive) this.#drop(id, session);
      throw error;
    } finally {
      if (this.#sessions.get(id) === session && session.last === done) this.#rest(id, session);
    }
  }

  async end(id: string, which = this.#sessions.get(id)): Promise<void> {
    if (!which) return;
    if (this.#sessions.get(id) === which) this.#sessions.delete(id);
    clearTimeout(which.timer);
    which.ending.abort();
    const browser = await which.browser.catch(() => undefined);
    await browser?.close();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((id) => this.end(id)));
  }

  async #find(id: string, fresh: boolean): Promise<Session> {
    const known = this.#sessions.get(id);
    const browser = await known?.browser.catch((error: unknown) => asError(error));
    if (known && browser && !(browser instanceof Error) && browser.alive) return known;
    if (known) this.#drop(id, known);
    if (!fresh) throw known ? errors.BROWSER_LOST("it stopped by itself") : errors.BROWSER_NO_PAGE();
    const started = this.#sessions.get(id);
    if (started) return started;
    const ending = new AbortController();
    const starting = this.#start(AbortSignal.any([ending.signal, this.#signal]));
    starting.catch(() => undefined);
    const session: Session = { browser: starting, ending, last: Promise.resolve() };
    this.#sessions.set(id, session);
    return session;
  }

  /** Nobody waits for one that has ended by itself: a driver may take its time. */
  #drop(id: string, session: Session): void {
    this.end(id, session).catch(() => undefined);
  }

  #rest(id: string, session: Session): void {
    session.timer = setTimeout(() => void this.end(id, session), this.#idleMs);
    session.timer.unref();
  }
}
