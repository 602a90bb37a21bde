import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const folder = path.join(import.meta.dirname, "../plugins");

/**
 * Base plugins that nearly every command needs stand in one file: to find, open and link a file
 * costs a third of a millisecond at every start. Left out are those that only serve or give words,
 * those whose package.json states what they provide, so that a turn does without them, and an index
 * that tells by its own address where a worker stands.
 */
const together: readonly string[] = readdirSync(folder)
  .filter((name) => !/^(?:command|gateway|service)-/.test(name) && isNeeded(name) && !isPlaced(name))
  .toSorted();

/** The entry of the build that exports each of them by its name. */
export const togetherEntry = "gantry:base-plugins";

export function isTogether(name: string): boolean {
  return together.includes(name);
}

/**
 * Returns true for a module of the build that is the index of a plugin built together with others.
 */
export function isTogetherIndex(id: string): boolean {
  const [name = "", ...rest] = path.relative(folder, id).split(path.sep);
  return rest.join() === "index.ts" && isTogether(name);
}

function isNeeded(name: string): boolean {
  const file = path.join(folder, name, "package.json");
  if (!existsSync(file)) return false;
  const { gantry } = JSON.parse(readFileSync(file, "utf8")) as {
    gantry?: { base?: boolean; provides?: readonly string[] };
  };
  return gantry?.base === true && gantry.provides === undefined;
}

function isPlaced(name: string): boolean {
  return readFileSync(path.join(folder, name, "index.ts"), "utf8").includes("import.meta");
}

function exportOf(name: string): string {
  const index = path.join(folder, name, "index.ts");
  return `export { default as ${JSON.stringify(name)} } from ${JSON.stringify(index)};`;
}

/** A plugin for the bundler that writes this entry. */
export const basePlugins = {
  name: "base-plugins",
  resolveId(source: string): string | undefined {
    return source === togetherEntry ? source : undefined;
  },
  load(id: string): string | undefined {
    if (id !== togetherEntry) return undefined;
    return together.map(exportOf).join("\n");
  },
};
