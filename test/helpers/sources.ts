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

/** Every TypeScript file below these folders. */
export function sourcesIn(...folders: readonly string[]): readonly Source[] {
  return folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.tsx?$/.test(file) && !/(?:^|\/)(?:dist|node_modules|template)\//.test(file))
      .map((file) => ({
        file: `${folder}/${file}`,
        text: readFileSync(path.join(root, folder, file), "utf8"),
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

/** What a file imports, in whatever way. */
export function importsOf({ text }: Source): readonly string[] {
  return [...text.matchAll(statements)].map(([, one, two, three]) => one ?? two ?? three ?? "");
}

/** The name of the package that a specifier belongs to; built-in modules without `node:` are named with it. */
export function packageOf(specifier: string): string {
  if (isBuiltin(specifier)) return specifier.startsWith("node:") ? specifier : `node:${specifier}`;
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
