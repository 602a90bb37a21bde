import path from "node:path";
import { fileURLToPath } from "node:url";
import type { OpenProcess, Runtime } from "@gantry/sdk";
import type { OpenSpec } from "@gantry/sdk/fill";
import { entryBeside, isInside, nodeCommand, nodeProgram } from "@gantry/sdk/node";
import type { Place } from "./facts.ts";

const MOST_WORDS = 500;

/** Returns the process of a plugin: it reads Gantry's code and the plugin's own. */
export function walledProcess(
  { folder }: Place,
  base: string,
  { configDir }: Runtime,
  signal: AbortSignal,
): OpenSpec {
  const { url, nodeArgs } = entryBeside(base, "plugin-worker");
  const code = path.resolve(path.dirname(fileURLToPath(base)), "../..");
  const isConfigured = folder !== undefined && isInside(folder, configDir);
  const own = folder === undefined || isConfigured ? [] : [folder];
  return {
    argv: nodeCommand(["--no-warnings", ...nodeArgs], fileURLToPath(url)),
    read: [nodeProgram, code, ...own],
    ...(isConfigured && { program: programOf(folder, configDir) }),
    signal,
  };
}

/** Returns the folder of all installed packages, as one imports another, else the plugin's own. */
function programOf(folder: string, configDir: string): string {
  const installed = path.join(configDir, "node_modules");
  return isInside(folder, installed) ? installed : folder;
}

/** Returns the end of what a process wrote to stderr, whenever that is asked. */
export function lastWords({ stderr }: OpenProcess): () => string {
  let said = "";
  stderr.on("data", (piece: Buffer) => {
    said = `${said}${piece.subarray(-MOST_WORDS).toString()}`.slice(-MOST_WORDS);
  });
  return () => said.trim();
}
