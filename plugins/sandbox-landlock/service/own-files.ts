import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Runtime } from "@gantry/sdk";
import { nodeProgram } from "@gantry/sdk/node";
import { realPath } from "./real-path.ts";

/**
 * Returns the files that run as the service: Gantry's own code, Node, and every plugin that is
 * loaded from a file. Whoever can write to one of them runs without walls at the next start.
 */
export function ownFiles(base: string, runtime: Runtime): readonly string[] {
  const plugins = runtime.plugins.map(({ from }) => from).filter((from) => path.isAbsolute(from));
  const own = [ownCode(base), nodeProgram, process.argv[1] ?? nodeProgram, ...plugins];
  return [...new Set(own.flatMap((file) => realPath(file) ?? []))];
}

/** Returns the folder of the code: this plugin stands two folders below it, built or not. */
function ownCode(base: string): string {
  return path.resolve(path.dirname(fileURLToPath(base)), "../..");
}
