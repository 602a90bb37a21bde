import type { Meters } from "@gantry/sdk";

/** Beyond this many kinds of one counter the rest is counted as one: labels must not fill the memory. */
const maxKinds = 500;

type Labels = Readonly<Record<string, string>>;

/** Numbers by name and labels: those that only grow, and those that are as they were last set. */
export class Counters implements Meters {
  readonly #counted = new Map<string, Map<string, number>>();
  readonly #set = new Map<string, Map<string, number>>();

  count(name: string, labels: Labels = {}, by: number = 1): void {
    const [kinds, key] = placeOf(this.#counted, name, labels);
    kinds.set(key, (kinds.get(key) ?? 0) + by);
  }

  set(name: string, value: number, labels: Labels = {}): void {
    const [kinds, key] = placeOf(this.#set, name, labels);
    kinds.set(key, value);
  }

  *lines(): Generator<string> {
    yield* linesOf("counter", this.#counted);
    yield* linesOf("gauge", this.#set);
  }
}

function placeOf(
  names: Map<string, Map<string, number>>,
  name: string,
  labels: Labels,
): readonly [kinds: Map<string, number>, key: string] {
  const kinds = names.get(name) ?? new Map<string, number>();
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

/** `{a="b"}`, as the text format has it; empty without labels. */
export function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length > 0 ? `{${pairs.join(",")}}` : "";
}

function escaped(value: string): string {
  return value.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");
}
