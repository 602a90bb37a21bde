import type { CheckRow, Logger, Values } from "@gantry/sdk";

const space = "email.sending";
const what = "email sending";

interface Kept {
  readonly at: number;
  /** Set if the server took nothing the last time. */
  readonly reason?: string;
}

/**
 * The outcome of the last sending: logged at each change, and kept for another process' `status`.
 */
export class SendingRecord {
  readonly #address: string;
  readonly #values: () => Values;
  readonly #log: Logger;
  #told: string | undefined;

  constructor(address: string, values: () => Values, log: Logger) {
    this.#address = address;
    this.#values = values;
    this.#log = log;
  }

  /**
   * Records a success after a while: first it must be on disk that the mail was sent, or a kill
   * sends it twice.
   */
  sent(): void {
    if (this.#told !== undefined) this.#log.info({ channel: "email" }, "The channel email sends again.");
    this.#told = undefined;
    const kept = { at: Date.now() };
    setImmediate(() => void this.#keep(kept));
  }

  async failed(reason: string): Promise<void> {
    if (this.#told !== reason) this.#log.error({ channel: "email" }, reason);
    this.#told = reason;
    await this.#keep({ at: Date.now(), reason });
  }

  async row(): Promise<CheckRow> {
    const kept = await this.#values().get<Kept>(space, this.#address);
    if (kept === undefined) return { what, state: "ok", detail: "nothing was sent yet" };
    const when = new Date(kept.at).toISOString();
    return kept.reason === undefined
      ? { what, state: "ok", detail: `the last mail was taken at ${when}` }
      : { what, state: "fail", detail: `${kept.reason} (at ${when})` };
  }

  /** Never throws: a mail that was sent stays sent. */
  async #keep(kept: Kept): Promise<void> {
    try {
      await this.#values().put(space, this.#address, kept);
    } catch {
      // It is for people to look at.
    }
  }
}
