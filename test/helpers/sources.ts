import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root: string = fileURLToPath(new URL("../..", import.meta.url));

export interface Source {
  /** From the repository's root, with slashes. */
  readonly file: string;
  readonly text: string;
}

/** Returns every TypeScript file below these folders of the project. */
export function sourcesIn(...folders: readonly string[]): readonly Source[] {
  return sourcesOf(root, folders);
}

/** Returns every TypeScript file below these folders of a checkout. */
export function sourcesOf(checkout: string, folders: readonly string[]): readonly Source[] {
  return folders.flatMap((folder) =>
    readdirSync(path.join(checkout, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.tsx?$/.test(file) && !/(?:^|\/)(?:dist|node_modules|template)\//.test(file))
      .map((file) => ({
        file: `${folder}/${file}`,
        text: readFileSync(path.join(checkout, folder, file), "utf8"),
      })),
  );
}

/** True for what is shipped: no test, no kit and no program that only tests use. */
export function isShipped({ file }: Source): boolean {
  return !/\.(?:test[\w-]*|fixture)\.ts$/.test(file);
}

/** Names of the plugins that are there. */
export function pluginNames(): readonly string[] {
  return readdirSync(path.join(root, "plugins")).filter((name) =>
    existsSync(path.join(root, "plugins", name, "index.ts")),
  );
}

const statements =
  /(?:^|\n)\s*(?:import|export)\s(?:[^"'`;]*?\sfrom\s*)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)|\brequire\(\s*["']([^"']+)["']\s*\)/g;

/** Returns the specifiers that a file imports, in whatever way. */
export function importsOf({ text }: Source): readonly string[] {
  return [...text.matchAll(statements)].map(([, one, two, three]) => one ?? two ?? three ?? "");
}

/**
 * The name of the package that a specifier belongs to; built-in modules without `node:` are named
 * with it.
 */
export function packageOf(specifier: string): string {
  if (isBuiltin(specifier)) return specifier.startsWith("node:") ? specifier : `node:${specifier}`;
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** Returns the path to which a relative import leads, from the root. */
export function target(specifier: string, { file }: Source): string {
  return path.posix.join(path.posix.dirname(file), specifier);
}

/** Returns the files whose imports lead back to them, and those between two such files. */
export function inCircles(list: readonly Source[]): readonly string[] {
  const isThere = new Set(list.map(({ file }) => file));
  const left = new Map(
    list.map((source) => {
      const text = source.text.replace(/\btypeof import\(/g, "");
      const targets = importsOf({ ...source, text })
        .filter((specifier) => specifier.startsWith("."))
        .map((specifier) => target(specifier, source));
      return [source.file, targets.filter((file) => isThere.has(file))];
    }),
  );
  for (let before = -1; before !== left.size;) {
    before = left.size;
    const imported = new Set([...left.values()].flat());
    for (const [file, imports] of left)
      if (!imported.has(file) || !imports.some((one) => left.has(one))) left.delete(file);
  }
  return [...left.keys()];
}
