import { enableCompileCache } from "node:module";
import path from "node:path";
import { configDirOf } from "./config-dir.ts";
import { makeDir } from "./make-dir.ts";

/** Runs one command line; gives the exit code. The cache of compiled code lies where only its owner can write. */
export async function main(argv: readonly string[]): Promise<number> {
  if (argv.includes("--debug")) process.setSourceMapsEnabled(true);
  const configDir = configDirOf(process.env);
  const cache = path.join(configDir, "cache", "compile");
  try {
    // Made here, since enableCompileCache would make it readable to all.
    makeDir(cache);
    enableCompileCache(cache);
  } catch {
    // What is wrong with the directory is said where it is needed; without a cache all is only slower.
  }
  const { runWords } = await import("./run-words.ts");
  return runWords(argv, configDir);
}
