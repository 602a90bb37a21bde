import type { Values } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { digest } from "./message-id.ts";
import type { MailServer, Settings } from "./settings.ts";
import { MailTrouble } from "./trouble.ts";

const space = "email.logins";
/** Servers lock an account after a few wrong passwords. */
const maxFailures = 3;
const apartMs = 15 * 60_000;
const keptMs = 24 * 60 * 60_000;

interface Failures {
  readonly count: number;
  /** Unix ms of the last one. */
  readonly at: number;
  readonly reason: string;
}

/**
 * Counts how often a server refused this password: it is tried at most three times within a day, 15
 * minutes apart, also over restarts.
 */
export class Logins {
  readonly #key: string;
  readonly #shown: string;
  readonly #values: () => Values;

  constructor({ username, password }: Settings, { shown }: MailServer, values: () => Values) {
    this.#key = digest(`${shown} ${username} ${password}`);
    this.#shown = shown;
    this.#values = values;
  }

  /**
   * Runs what logs in, unless it was refused so often or so lately that it is not tried now. Throws
   * MailTrouble.
   */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const before = await this.#values().get<Failures>(space, this.#key);
    if (before !== undefined && before.count >= maxFailures)
      throw new MailTrouble("login", errors.EMAIL_LOGIN_STOPPED(this.#shown).message);
    if (before !== undefined && Date.now() - before.at < apartMs)
      throw new MailTrouble("login", before.reason);
    try {
      const result = await work();
      if (before !== undefined) await this.worked();
      return result;
    } catch (error) {
      if (error instanceof MailTrouble && error.kind === "login") await this.#failed(before, error.message);
      throw error;
    }
  }

  /** Forgets earlier failures, since the password is right. */
  async worked(): Promise<void> {
    await this.#values().remove(space, this.#key);
  }

  /** Milliseconds until it makes sense to look again. */
  get waitMs(): number {
    return apartMs;
  }

  async #failed(before: Failures | undefined, reason: string): Promise<void> {
    const failures: Failures = { count: (before?.count ?? 0) + 1, at: Date.now(), reason };
    await this.#values().put(space, this.#key, failures, { forMs: keptMs });
  }
}
