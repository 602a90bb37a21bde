import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { MaterialFolders, Store } from "@gantry/sdk";
import { materialFiles } from "@gantry/sdk/fill";
import { followLinks, isInside } from "@gantry/sdk/node";
import type { Registry } from "../plugins/registry.ts";

const { space, forMs } = materialFiles;
/** So many of a folder at a time. */
const looked = 100;

/**
 * Files and folders that conversations with material from outside wrote, and folders that are
 * filled from outside: whoever reads one later takes that in again.
 */
export class MaterialFiles {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Resolves once it is on disk. */
  async note(files: readonly string[], material: readonly string[]): Promise<void> {
    const values = this.#registry.get(Store)?.values;
    for (const file of files) await values?.put(space, file, material, { forMs });
  }

  /** The material in these files and folders; files that are gone hold none. */
  async in(places: readonly string[]): Promise<readonly string[]> {
    const found = await Promise.all(places.flatMap((place) => [this.#at(place), this.#under(place)]));
    return [...found.flat(), ...(await this.#filled(places))];
  }

  /** Returns what stands in folders that are filled from outside. */
  async #filled(places: readonly string[]): Promise<readonly string[]> {
    const found: string[] = [];
    for (const { folder, material } of this.#registry.get(MaterialFolders)?.values() ?? []) {
      const real = await followLinks(folder);
      if (!existsSync(real)) continue;
      const isRead = (place: string): boolean => isInside(place, real) && place !== real && existsSync(place);
      const isAround = places.some((place) => isInside(real, place));
      if (places.some(isRead) || (isAround && readdirSync(real).length > 0)) found.push(material);
    }
    return found;
  }

  async #at(file: string): Promise<readonly string[]> {
    const values = this.#registry.get(Store)?.values;
    const found = existsSync(file) && (await values?.get<readonly string[]>(space, file));
    const around = path.dirname(file);
    return found || (around === file ? [] : this.#at(around));
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
