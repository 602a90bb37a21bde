import { importsOf, inCircles, target, type Source } from "../helpers/sources.ts";
import { spread } from "./spread.ts";

/** The number of the most imported files that a row names. */
const mostNamed = 4;

/**
 * Returns the row of a table that tells how files import each other, lazy imports and types too.
 */
export function structureRow(name: string, list: readonly Source[]): string {
  const isThere = new Set(list.map(({ file }) => file));
  const imports = list.map((source) => [
    ...new Set(
      importsOf(source)
        .map((specifier) => (specifier.startsWith(".") ? target(specifier, source) : ""))
        .filter((file) => isThere.has(file)),
    ),
  ]);
  const all = imports.flat();
  const users = new Map<string, number>();
  for (const file of all) users.set(file, (users.get(file) ?? 0) + 1);
  const most = [...users].toSorted(([, one], [, other]) => other - one).slice(0, mostNamed);
  const cells = [
    name,
    all.length.toLocaleString("en"),
    inCircles(list).length,
    spread(imports.map((files) => files.length)),
    most.map(([file, count]) => `${file} ${count}`).join(", "),
  ];
  return `| ${cells.join(" | ")} |`;
}
