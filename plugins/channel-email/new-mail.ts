import { pause } from "@gantry/sdk/channel";
import type { ImapFlow } from "imapflow";
import type { Settings } from "./settings.ts";

/** A server that ends each IDLE at once is not asked without a breath in between. */
const breathMs = 1_000;

/** Waits until there may be new mail: because the server says so, or because it is time to look. */
export class NewMail {
  readonly #client: ImapFlow;
  readonly #pollMs: number;
  readonly #idleMs: number | undefined;
  #isNew = false;
  #isGone = false;
  #wake: () => void = () => {};

  constructor(client: ImapFlow, { idle, pollMs }: Settings, idleMs: number) {
    this.#client = client;
    this.#pollMs = pollMs;
    this.#idleMs = idle && client.capabilities.has("IDLE") ? idleMs : undefined;
    client.on("exists", () => {
      this.#isNew = true;
      this.#wake();
    });
    client.on("close", () => {
      this.#isGone = true;
      this.#wake();
    });
  }

  /** Marks the mail so far as known: only what comes from now on is new. */
  looked(): void {
    this.#isNew = false;
  }

  /** Resolves early if `signal` is aborted; throws if the connection is gone. */
  async wait(signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    if (this.#isNew || this.#isGone) woken.abort();
    const either = AbortSignal.any([signal, woken.signal]);
    const idling = this.#idleMs === undefined || either.aborted ? undefined : this.#idle(either);
    await pause(this.#idleMs ?? this.#pollMs, idling ?? either);
    this.#wake = () => {};
    if (this.#isGone && !signal.aborted) throw new Error("the connection broke off");
  }

  /**
   * Returns a signal that is aborted when the waiting ends, or the server ends the IDLE by itself;
   * a server that refuses IDLE is polled.
   */
  #idle(ended: AbortSignal): AbortSignal {
    const over = new AbortController();
    void this.#client
      .idle()
      .catch(() => false)
      .then((kept) => pause(kept === false ? this.#pollMs : breathMs, ended))
      .then(() => over.abort());
    return AbortSignal.any([ended, over.signal]);
  }
}
