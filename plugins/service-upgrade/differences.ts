import type { Release } from "./release.ts";

/**
 * Returns the reasons that stand in the way of the other release, and its differences; a sentence
 * each.
 */
export function differences(
  now: Release,
  then: Release,
): { readonly stops: readonly string[]; readonly changes: readonly string[] } {
  const stops = [...then.refusals, ...then.stops];
  const changes: string[] = [];
  if (then.refusals.length > 0) return { stops, changes };
  const after = new Map(then.plugins.map((plugin) => [plugin.name, plugin]));
  const before = new Map(now.plugins.map((plugin) => [plugin.name, plugin]));
  for (const { name, keys, layout = 0 } of now.plugins) {
    const next = after.get(name);
    if (!next) {
      changes.push(`The plugin ${name} is gone.`);
      continue;
    }
    const { layout: nextLayout = 0 } = next;
    if (nextLayout < layout)
      stops.push(
        `${name} of that release cannot read files of layout ${layout}: if this release has ` +
          `moved them there, go back first with \`gantry restore --layout ${nextLayout}\`.`,
      );
    if (nextLayout > layout)
      changes.push(
        `${name} moves its files from layout ${layout} to ${nextLayout} at the first start and ` +
          `keeps a copy; the way back is \`gantry restore --layout ${layout}\` with that release, ` +
          `before this one is installed again.`,
      );
    changes.push(...keysOf(name, keys, next.keys));
  }
  for (const { name } of then.plugins) if (!before.has(name)) changes.push(`The plugin ${name} is new.`);
  for (const name of then.absent)
    if (!now.bundled.includes(name))
      changes.push(`The plugin ${name} is new and runs by default, but \`plugins\` does not list it.`);
  changes.push(...then.retired);
  return { stops, changes };
}

function keysOf(plugin: string, now: readonly string[], then: readonly string[]): readonly string[] {
  const gone = now.filter((key) => !then.includes(key));
  const added = then.filter((key) => !now.includes(key));
  return [
    ...(gone.length > 0
      ? [`${plugin} no longer has ${gone.join(", ")}, which this configuration does not set.`]
      : []),
    ...(added.length > 0 ? [`${plugin} has ${added.join(", ")} besides.`] : []),
  ];
}
