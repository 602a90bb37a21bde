import { bounds } from "./conventions.ts";
import type { Attributes } from "./span.ts";

/**
 * Beyond this many kinds of one measurement the rest is counted as one: labels must not fill the
 * memory.
 */
const mostKinds = 200;

interface Point {
  readonly attributes: Attributes;
  sum: number;
  /** The counts of a histogram, by bucket: one more than there are bounds. */
  readonly counts?: number[];
}

/** One measurement with all its kinds since the start. */
export interface Measured {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  readonly points: readonly Readonly<Point>[];
}

interface Instrument {
  readonly unit: string;
  readonly description: string;
  readonly points: Map<string, Point>;
}

/** Sums and histograms since the start, by name and attributes. */
export class Measurements {
  readonly #instruments = new Map<string, Instrument>();
  /** True if something was measured since the last {@link all}. */
  changed = false;

  /** Adds to a sum that only grows. */
  add(name: string, unit: string, description: string, by: number, attributes: Attributes): void {
    if (by <= 0) return;
    this.#point(name, unit, description, attributes, false).sum += by;
  }

  /** Counts a duration of so many seconds. */
  time(name: string, description: string, seconds: number, attributes: Attributes): void {
    const point = this.#point(name, "s", description, attributes, true);
    const bucket = bounds.findIndex((bound) => seconds <= bound);
    const at = bucket === -1 ? bounds.length : bucket;
    if (point.counts) point.counts[at] = (point.counts[at] ?? 0) + 1;
    point.sum += seconds;
  }

  all(): readonly Measured[] {
    this.changed = false;
    return [...this.#instruments].map(([name, { unit, description, points }]) => ({
      name,
      unit,
      description,
      points: [...points.values()],
    }));
  }

  #point(
    name: string,
    unit: string,
    description: string,
    attributes: Attributes,
    isHistogram: boolean,
  ): Point {
    this.changed = true;
    let instrument = this.#instruments.get(name);
    if (!instrument)
      this.#instruments.set(name, (instrument = { unit, description, points: new Map<string, Point>() }));
    const { points } = instrument;
    const given = JSON.stringify(attributes);
    const isRoom = points.has(given) || points.size < mostKinds;
    const kind = isRoom ? given : "";
    let point = points.get(kind);
    if (!point) {
      const counts = isHistogram ? { counts: Array.from({ length: bounds.length + 1 }, () => 0) } : {};
      points.set(
        kind,
        (point = { attributes: isRoom ? attributes : { "otel.metric.overflow": true }, sum: 0, ...counts }),
      );
    }
    return point;
  }
}
