import type { Meters } from "@gantry/sdk";

/** Beyond this many kinds of one counter the rest is counted as one: labels must not fill the memory. */
const maxKinds = 500;

/** Numbers that only grow, by name and labels. */
export class Counters implements Meters {
  readonly #names = new Map<string, Map<string, number>>();

  count(name: string, labels: Readonly<Record<string, string>> = {}, by: number = 1): void {
    const kinds = this.#names.get(name) ?? new Map<string, number>();
    const wanted = labelText(labels);
    const key = kinds.has(wanted) || kinds.size < maxKinds ? wanted : '{other="true"}';
    this.#names.set(name, kinds.set(key, (kinds.get(key) ?? 0) + by));
  }

  *lines(): Generator<string> {
    for (const [name, kinds] of this.#names) {
      yield `# TYPE gantry_${name} counter`;
      for (const [labels, value] of kinds) yield `gantry_${name}${labels} ${value}`;
    }
  }
}

/** `{a="b"}`, as the text format has it; empty without labels. */
export function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length > 0 ? `{${pairs.join(",")}}` : "";
}

function escaped(value: string): string {
  return value.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");
}
