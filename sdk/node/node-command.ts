import { realpathSync } from "node:fs";

/**
 * The program that runs this code: Node, or the single executable, which is Node with Gantry
 * inside. Everything that starts another process of either kind asks here.
 */
export const nodeProgram: string = process.execPath;

/** Returns true if this is the single executable. */
export function isExecutable(): boolean {
  return process.getBuiltinModule("node:sea").isSea();
}

/**
 * Returns the arguments that have {@link nodeProgram} run a file of JavaScript; `flags` are Node's
 * own, as `NODE_OPTIONS` takes them.
 */
export function nodeArguments(flags: readonly string[], file: string): readonly string[] {
  return isExecutable() ? [...passed(flags), "--as-node", file] : [...flags, file];
}

/** Returns a whole command line that runs a file of JavaScript. */
export function nodeCommand(flags: readonly string[], file: string): readonly string[] {
  return [nodeProgram, ...nodeArguments(flags, file)];
}

/** Returns a whole command line that runs a word of Gantry, as this process was started. */
export function gantryCommand(flags: readonly string[], words: readonly string[]): readonly string[] {
  if (isExecutable()) return [nodeProgram, ...passed(flags), ...words];
  return [nodeProgram, ...flags, realpathSync(process.argv[1] ?? ""), ...words];
}

/** The executable reads Node's flags from one argument and leaves all others to Gantry. */
function passed(flags: readonly string[]): readonly string[] {
  return flags.length > 0 ? [`--node-options=${flags.join(" ")}`] : [];
}
