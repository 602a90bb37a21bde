import type { CheckRow, Store } from "@gantry/sdk";

const space = "telemetry";
/** As long as the outcome stays the same it is written down this often. */
const everyMs = 60_000;

/** The outcome of sending, as the process that serves has written it down. */
interface Sent {
  /** ISO 8601: when the collector took something last. */
  readonly taken?: string;
  /** Why it took nothing since. */
  readonly why?: string;
  /** Spans that were dropped since the start. */
  readonly dropped: number;
}

/** Writes down what comes of sending, so that `status`, in a process of its own, can tell it. */
export class SentState {
  readonly #store: Store | undefined;
  readonly #key: string;
  #sent: Sent = { dropped: 0 };
  #writtenAt = -Infinity;

  constructor(store: Store | undefined) {
    this.#store = store;
    this.#key = store?.node ?? "";
  }

  taken(): void {
    const { dropped, why } = this.#sent;
    this.#sent = { taken: new Date().toISOString(), dropped };
    this.#write(why !== undefined || this.#writtenAt === -Infinity);
  }

  failed(why: string): void {
    const before = this.#sent.why;
    this.#sent = { ...this.#sent, why };
    this.#write(before !== why);
  }

  dropped(spans: number): void {
    this.#sent = { ...this.#sent, dropped: this.#sent.dropped + spans };
    this.#write(this.#sent.dropped === spans);
  }

  /** Tells what the process that serves has written down. */
  async row(shown: string): Promise<CheckRow> {
    const what = "telemetry";
    const sent = await this.#store?.values.get<Sent>(space, this.#key);
    const when = sent?.taken === undefined ? "nothing was taken since its start" : `last taken ${sent.taken}`;
    const why = sent?.why === undefined ? "" : `; it fails since (${sent.why})`;
    const detail = `to ${shown}, ${when}${why}; spans dropped: ${sent?.dropped ?? 0}`;
    if (sent?.why === undefined) return { what, state: "ok", detail };
    return { what, state: "warn", detail, cure: "See whether the collector runs there and takes OTLP." };
  }

  #write(isNews: boolean): void {
    const now = performance.now();
    if (!isNews && now - this.#writtenAt < everyMs) return;
    this.#writtenAt = now;
    // Telemetry holds up nothing: the next outcome is written again.
    void this.#store?.values.put(space, this.#key, this.#sent).catch(() => undefined);
  }
}
