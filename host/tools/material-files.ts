import { existsSync } from "node:fs";
import { Store } from "@gantry/sdk";
import type { Registry } from "../plugins/registry.ts";

const space = "material-files";
/** Nobody clears them by hand. */
const keptMs = 365 * 86_400_000;
/** So many of a folder at a time. */
const looked = 100;

/** Files that were written by conversations with material from outside: whoever reads one later takes that in again. */
export class MaterialFiles {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Resolves once it is on disk. */
  async note(files: readonly string[], material: readonly string[]): Promise<void> {
    const values = this.#registry.get(Store)?.values;
    for (const file of files) await values?.put(space, file, material, { forMs: keptMs });
  }

  /** The material in these files and folders; files that are gone hold none. */
  async in(places: readonly string[]): Promise<readonly string[]> {
    const found = await Promise.all(places.flatMap((place) => [this.#at(place), this.#under(place)]));
    return found.flat();
  }

  async #at(file: string): Promise<readonly string[]> {
    const values = this.#registry.get(Store)?.values;
    return (existsSync(file) && (await values?.get<readonly string[]>(space, file))) || [];
  }

  async #under(folder: string): Promise<readonly string[]> {
    const values = this.#registry.get(Store)?.values;
    if (!values) return [];
    const prefix = folder.endsWith("/") ? folder : `${folder}/`;
    let after = prefix;
    for (;;) {
      const noted = await values.list<readonly string[]>(space, { limit: looked, prefix, after });
      const found = noted.filter(({ key }) => existsSync(key)).flatMap(({ value }) => value);
      if (found.length > 0 || noted.length < looked) return found;
      after = noted.at(-1)?.key ?? after;
    }
  }
}
