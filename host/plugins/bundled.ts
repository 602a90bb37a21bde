import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** A plugin that comes with the host, as its package.json states it, without an import of it. */
export interface Bundled {
  readonly name: string;
  /** Loaded where the configuration does not list plugins. */
  readonly base: boolean;
  /** Its own tables; one of them in the file loads it too. */
  readonly tables: readonly string[];
  /** One plugin of a role is taken: the one that its table asks for, else that of the base. */
  readonly role?: string;
  /** The key that lists plugins which are loaded by the export `load` of this one's module. */
  readonly loads?: string;
  /** URL of the module. */
  readonly entry: string;
  /**
   * The module's export that is the plugin: its name in the file that holds many, else `default`.
   */
  readonly exported: string;
  /** Ids of the slots it fills, read off by the build; from source, as its package.json says. */
  readonly provides?: readonly string[];
  /** Read off the plugin by the build; not known when run from source. */
  readonly taps?: readonly string[];
  readonly keys?: readonly string[];
}

/**
 * Returns true if a command that reads none of `unused` can do without the plugin: it taps no hook,
 * fills only those slots, and the file holds none of its tables, which would go unchecked or seem
 * to be a stranger's.
 */
export function isIdle(
  { base, provides, taps, keys }: Bundled,
  unused: readonly string[],
  has: (key: string) => boolean,
): boolean {
  if (!base || !provides || !taps || !keys) return false;
  return (
    taps.length === 0 &&
    provides.every((slot) => unused.includes(slot)) &&
    !keys.some((key) => has(key) || has(tableOf(key)))
  );
}

function tableOf(key: string): string {
  return key.split(".").slice(0, -1).join(".");
}

interface Facts {
  readonly gantry?: Partial<Pick<Bundled, "base" | "tables" | "role" | "loads" | "provides">>;
}

/** The build lists the plugins in one file; from source the folders are read. */
export async function bundledPlugins(): Promise<readonly Bundled[]> {
  if (!import.meta.url.endsWith(".ts")) {
    const list = JSON.parse(
      await readFile(new URL("./plugins.json", import.meta.url), "utf8"),
    ) as readonly (Omit<Bundled, "entry" | "exported"> & { readonly together: boolean })[];
    return list.map(({ together, ...facts }) => {
      const file = together ? "./base-plugins.js" : `./plugins/${facts.name}/index.js`;
      const exported = together ? facts.name : "default";
      return { ...facts, entry: new URL(file, import.meta.url).href, exported };
    });
  }
  const folder = new URL("../../plugins/", import.meta.url);
  const names = (await readdir(fileURLToPath(folder)))
    .toSorted()
    .filter((name) => existsSync(new URL(`${name}/index.ts`, folder)));
  return Promise.all(names.map((name) => readFacts(name, new URL(`${name}/`, folder))));
}

async function readFacts(name: string, folder: URL): Promise<Bundled> {
  const { gantry = {} } = JSON.parse(await readFile(new URL("package.json", folder), "utf8")) as Facts;
  const { base = false, tables = [], ...facts } = gantry;
  return { ...facts, name, base, tables, entry: new URL("index.ts", folder).href, exported: "default" };
}
