import { existsSync, mkdirSync } from "node:fs";
import { enableCompileCache } from "node:module";
import path from "node:path";
import { compileLater } from "./compile-later.ts";
import { configDirOf } from "./config-dir.ts";

/**
 * Runs one command line; gives the exit code. The cache of compiled code lies where only its owner
 * can write; what is imported before it is set is compiled again at every start, so it is next to
 * nothing.
 */
export async function main(argv: readonly string[]): Promise<number> {
  if (argv.includes("--debug")) process.setSourceMapsEnabled(true);
  const configDir = configDirOf(process.env);
  const cache = path.join(configDir, "cache", "compile");
  try {
    // Made here, since enableCompileCache would make it readable to all.
    for (const dir of existsSync(cache) ? [] : [configDir, path.dirname(cache), cache])
      if (!existsSync(dir)) mkdirSync(dir, 0o700);
    enableCompileCache(cache);
  } catch {
    // A fault of the directory is told where it is needed; without a cache all is only slower.
  }
  const { runCommandLine } = await import("./command-line.ts");
  // V8 takes what is compiled into Node by the flags of its build alone: the import and the clock
  // of a turn come before the flags change.
  if (argv.includes("agent")) performance.now();
  compileLater();
  return runCommandLine(argv, configDir);
}
