import type { Meters } from "@gantry/sdk";

/**
 * Beyond this many kinds of one counter the rest is counted as one: labels must not fill the
 * memory.
 */
const maxKinds = 500;

type Labels = Readonly<Record<string, string>>;

/** Seconds, from what is answered at once to what a person gives up on. */
const bounds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** The number of measurements in each part between two bounds, and their sum. */
interface Measured {
  readonly counts: number[];
  sum: number;
}

/**
 * Numbers by name and labels: those that only grow, those that are as they were last set, and
 * histograms.
 */
export class Counters implements Meters {
  readonly #counted = new Map<string, Map<string, number>>();
  readonly #set = new Map<string, Map<string, number>>();
  readonly #measured = new Map<string, Map<string, Measured>>();

  count(name: string, labels: Labels = {}, by: number = 1): void {
    const [kinds, key] = placeOf(this.#counted, name, labels);
    kinds.set(key, (kinds.get(key) ?? 0) + by);
  }

  set(name: string, value: number, labels: Labels = {}): void {
    const [kinds, key] = placeOf(this.#set, name, labels);
    kinds.set(key, value);
  }

  observe(name: string, value: number, labels: Labels = {}): void {
    const [kinds, key] = placeOf(this.#measured, name, labels);
    const measured = kinds.get(key) ?? { counts: bounds.map(() => 0), sum: 0 };
    kinds.set(key, measured);
    const part = bounds.findIndex((bound) => value <= bound);
    const place = part < 0 ? bounds.length : part;
    measured.counts[place] = (measured.counts[place] ?? 0) + 1;
    measured.sum += value;
  }

  *lines(): Generator<string> {
    yield* linesOf("counter", this.#counted);
    yield* linesOf("gauge", this.#set);
    for (const [name, kinds] of this.#measured) {
      yield `# TYPE gantry_${name} histogram`;
      for (const [labels, measured] of kinds) yield* histogramLines(name, labels, measured);
    }
  }
}

function placeOf<T>(
  names: Map<string, Map<string, T>>,
  name: string,
  labels: Labels,
): readonly [kinds: Map<string, T>, key: string] {
  const kinds = names.get(name) ?? new Map<string, T>();
  names.set(name, kinds);
  const wanted = labelText(labels);
  return [kinds, kinds.has(wanted) || kinds.size < maxKinds ? wanted : '{other="true"}'];
}

function* linesOf(type: string, names: ReadonlyMap<string, ReadonlyMap<string, number>>): Generator<string> {
  for (const [name, kinds] of names) {
    yield `# TYPE gantry_${name} ${type}`;
    for (const [labels, value] of kinds) yield `gantry_${name}${labels} ${value}`;
  }
}

/** Each bucket holds all below it too, as the text format wants it. */
function* histogramLines(name: string, labels: string, { counts, sum }: Measured): Generator<string> {
  const inner = labels === "" ? "" : `${labels.slice(1, -1)},`;
  let count = 0;
  for (const [i, bound] of [...bounds, "+Inf"].entries()) {
    count += counts[i] ?? 0;
    yield `gantry_${name}_bucket{${inner}le="${bound}"} ${count}`;
  }
  yield `gantry_${name}_sum${labels} ${sum}`;
  yield `gantry_${name}_count${labels} ${count}`;
}

/** `{a="b"}`, as the text format has it; empty without labels. */
export function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length > 0 ? `{${pairs.join(",")}}` : "";
}

function escaped(value: string): string {
  return value.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");
}
