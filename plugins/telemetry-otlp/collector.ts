import { asError } from "@gantry/sdk/node";
import type { Logger, Upstream } from "@gantry/sdk";
import { errors } from "./errors.ts";
import type { SentState } from "./sent-state.ts";
import type { Settings } from "./settings.ts";

const timeoutMs = 10_000;
const maxBytes = 64 * 1_024;
/** Ms between two lines of the log about a collector that takes nothing. */
const quietMs = 600_000;

/** A collector's answer to one request. */
export type Taken = "taken" | "refused" | "later";

/** The collector. A failure is told in the log, once in ten minutes, and in no other way. */
export class Collector {
  readonly #upstream: Upstream;
  readonly #settings: Settings;
  readonly #log: Logger;
  readonly #state: SentState;
  #toldAt = -Infinity;

  constructor(upstream: Upstream, settings: Settings, log: Logger, state: SentState) {
    this.#upstream = upstream;
    this.#settings = settings;
    this.#log = log;
    this.#state = state;
  }

  /** Sends one body. Resolves to `later` if the same body may be taken another time. */
  async send(to: "traces" | "metrics", body: string, signal: AbortSignal): Promise<Taken> {
    const { urls, headers } = this.#settings;
    try {
      const response = await this.#upstream.fetch({
        url: urls[to],
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body,
        signal,
        timeoutMs,
        maxBytes,
      });
      await response.body?.cancel();
      if (response.ok) {
        this.#state.taken();
        return "taken";
      }
      this.#tell(`HTTP ${response.status}`);
      return [429, 502, 503, 504].includes(response.status) ? "later" : "refused";
    } catch (error) {
      const { message, code } = asError(error) as Error & { readonly code?: string };
      if (!signal.aborted) this.#tell(code ?? message);
      return "later";
    }
  }

  #tell(why: string): void {
    this.#state.failed(why);
    const now = performance.now();
    if (now - this.#toldAt < quietMs) return;
    this.#toldAt = now;
    const { code, message } = errors.TELEMETRY_REFUSED(this.#settings.shown, why);
    this.#log.warn({ code }, message);
  }
}
