import { readdir } from "node:fs/promises";
import path from "node:path";
import { wildcards } from "@gantry/sdk/node";
import type { Effort } from "./effort.ts";

/** Folders of more entries are judged by the first ones. */
const MAX_ENTRIES = 10_000;
/** The cost of a name that fits and is then judged. */
const FOUND = 100;

/** The names in the folders of one call, each folder read once. */
export class Patterns {
  readonly #effort: Effort;
  readonly #folders: boolean;
  readonly #listings = new Map<string, Promise<readonly string[]>>();

  /** `folders`: patterns that stand for folders are followed too. */
  constructor(effort: Effort, folders: boolean) {
    this.#effort = effort;
    this.#folders = folders;
  }

  /** The paths that a shell would put in place of a pattern. Throws PATH_TOO_MUCH. */
  async fitting(pattern: string, cwd: string): Promise<readonly string[]> {
    const at = pattern.lastIndexOf("/");
    const folder = pattern.slice(0, at + 1);
    if (!/[*?[\]]/.test(folder)) return this.#within(folder, pattern.slice(at + 1), cwd);
    if (!this.#folders) return [];
    const before = await this.fitting(pattern.slice(0, at).replace(/\/+$/, ""), cwd);
    const found: string[] = [];
    for (const one of before) found.push(...(await this.#within(`${one}/`, pattern.slice(at + 1), cwd)));
    return found;
  }

  async #within(folder: string, name: string, cwd: string): Promise<readonly string[]> {
    if (!/[*?[\]]/.test(name)) {
      await this.#effort.take(FOUND);
      return [folder + name];
    }
    const parts = partsOf(name);
    const wanted = patternOf(parts);
    const found: string[] = [];
    for (const name of await this.#listing(path.resolve(cwd, folder || "."))) {
      await this.#effort.take((name.length + 1) * (parts.length + 1));
      if (!wanted(name)) continue;
      await this.#effort.take(FOUND);
      found.push(folder + name);
    }
    return found;
  }

  async #listing(folder: string): Promise<readonly string[]> {
    const known = this.#listings.get(folder);
    if (known) return known;
    await this.#effort.path(folder);
    const read = readdir(folder).catch(() => []);
    const names = read.then((all) => all.slice(0, MAX_ENTRIES));
    this.#listings.set(folder, names);
    return names;
  }
}

function partsOf(glob: string): readonly string[] {
  return glob.match(/\*+|\[[^\][]*\]|[^]/gu) ?? [];
}

/**
 * As bash reads it, but wider: a bracket stands for any sign. A dot at the beginning has to be
 * written.
 */
function patternOf(parts: readonly string[]): (name: string) => boolean {
  const fits = wildcards(
    parts.map((part) => {
      if (part.startsWith("*")) return { any: "many" };
      return part === "?" || part.length > 2 ? { any: "one" } : { sign: part };
    }),
  );
  return (name) => (parts[0] === "." || !name.startsWith(".")) && fits(name);
}
