import type { Meters } from "@gantry/sdk";
import type { Collector, Taken } from "./collector.ts";
import type { Measurements } from "./measurements.ts";
import { metricRequest, traceRequest } from "./otlp-json.ts";
import type { SentState } from "./sent-state.ts";
import type { Settings } from "./settings.ts";
import type { Span } from "./span.ts";

/** Spans that wait for the collector; what comes beyond them is counted and dropped. */
const mostWaiting = 2_048;
const mostTogether = 512;
const spansEveryMs = 5_000;
const measurementsEveryMs = 60_000;
const longestPauseMs = 300_000;
const lastWordsMs = 2_000;

/** Sends spans and measurements beside the work. A timer runs only while something waits. */
export class Export {
  readonly #collector: Collector;
  readonly #settings: Settings;
  readonly #version: string;
  readonly #measurements: Measurements;
  readonly #meters: Meters | undefined;
  readonly #state: SentState;
  readonly #since = Date.now();
  readonly #stopped = new AbortController();
  #waiting: Span[] = [];
  #timer: NodeJS.Timeout | undefined;
  #measuredAt = performance.now();
  #pauseMs = spansEveryMs;
  #sending: Promise<void> = Promise.resolve();

  constructor(deps: {
    readonly collector: Collector;
    readonly settings: Settings;
    readonly version: string;
    readonly measurements: Measurements;
    readonly meters: Meters | undefined;
    readonly state: SentState;
  }) {
    this.#state = deps.state;
    this.#collector = deps.collector;
    this.#settings = deps.settings;
    this.#version = deps.version;
    this.#measurements = deps.measurements;
    this.#meters = deps.meters;
  }

  add(span: Span): void {
    if (this.#waiting.length < mostWaiting) this.#waiting.push(span);
    else this.#drop("full", 1);
    this.wake();
  }

  /** Sees to it that what was measured is sent. */
  wake(): void {
    if (this.#timer || this.#stopped.signal.aborted) return;
    const measureIn = this.#measuredAt + measurementsEveryMs - performance.now();
    const pause = this.#waiting.length > 0 ? this.#pauseMs : Math.max(this.#pauseMs, measureIn);
    this.#timer = setTimeout(() => {
      this.#sending = this.#send(this.#stopped.signal);
    }, pause).unref();
  }

  /** Sends what waits, for two seconds at most, and then nothing more. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#stopped.abort();
    await this.#sending;
    const signal = AbortSignal.timeout(lastWordsMs);
    while (this.#waiting.length > 0) if ((await this.#sendSpans(signal)) === "later") break;
    if (this.#measurements.changed) await this.#sendMeasurements(signal);
  }

  async #send(signal: AbortSignal): Promise<void> {
    let taken: Taken = "taken";
    while (this.#waiting.length > 0 && taken !== "later") taken = await this.#sendSpans(signal);
    const isDue = performance.now() - this.#measuredAt >= measurementsEveryMs;
    if (taken !== "later" && isDue && this.#measurements.changed)
      taken = await this.#sendMeasurements(signal);
    this.#pauseMs = taken === "later" ? Math.min(this.#pauseMs * 2, longestPauseMs) : spansEveryMs;
    this.#timer = undefined;
    if (this.#waiting.length > 0 || this.#measurements.changed) this.wake();
  }

  async #sendSpans(signal: AbortSignal): Promise<Taken> {
    const { resource } = this.#settings;
    const batch = this.#waiting.slice(0, mostTogether);
    const taken = await this.#collector.send("traces", traceRequest(resource, this.#version, batch), signal);
    if (taken !== "later") this.#waiting.splice(0, batch.length);
    if (taken === "refused") this.#drop("refused", batch.length);
    return taken;
  }

  #drop(reason: string, spans: number): void {
    this.#meters?.count("telemetry_spans_dropped_total", { reason }, spans);
    this.#state.dropped(spans);
  }

  async #sendMeasurements(signal: AbortSignal): Promise<Taken> {
    this.#measuredAt = performance.now();
    const measured = this.#measurements.all();
    const times = { since: this.#since, now: Date.now() };
    const body = metricRequest(this.#settings.resource, this.#version, measured, times);
    const taken = await this.#collector.send("metrics", body, signal);
    // Sums count from the start, so what one request loses the next one brings.
    if (taken === "later") this.#measurements.changed = true;
    return taken;
  }
}
