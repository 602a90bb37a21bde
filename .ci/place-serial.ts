import { cpSync, existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { packageFolder } from "./packages.ts";

const bindings = "@serialport/bindings-cpp";

/**
 * The package that opens serial ports and those that it loads, without sources and declarations,
 * with the machine code of Linux for the processors named. Gives the folders they came from, below
 * node_modules.
 */
export function placeSerial(into: string, processors: readonly string[]): readonly string[] {
  const from = packageFolder(bindings);
  const modules = from.slice(0, -bindings.length);
  for (const processor of processors) {
    const prebuilt = path.join("prebuilds", `linux-${processor}`);
    cpSync(path.join(from, prebuilt), path.join(into, bindings, prebuilt), { recursive: true });
  }
  const found = new Map<string, string>();
  place(bindings, modules, modules, into, found);
  return [...found.values()].map((folder) => path.relative(modules, folder));
}

/** Places a package and all it needs, each as it is found from the folder of who needs it. */
function place(name: string, near: string, modules: string, into: string, found: Map<string, string>): void {
  if (found.has(name)) return;
  const own = path.join(near, "node_modules", name);
  const from = existsSync(own) ? own : path.join(modules, name);
  found.set(name, from);
  const { dependencies = {} } = JSON.parse(readFileSync(path.join(from, "package.json"), "utf8")) as {
    dependencies?: object;
  };
  cpSync(from, path.join(into, name), { recursive: true, filter: isLoaded });
  for (const needed of Object.keys(dependencies)) {
    // Needed to build it, and never loaded.
    if (needed !== "node-addon-api") place(needed, from, modules, into, found);
  }
}

/** Code and its package.json; licences stand in NOTICES.txt. */
function isLoaded(file: string): boolean {
  if (statSync(file).isDirectory()) return !["node_modules", "prebuilds"].includes(path.basename(file));
  return file.endsWith(".js") || path.basename(file) === "package.json";
}
