import { execFile } from "node:child_process";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { CommandContext } from "@gantry/sdk";
import { gantryCommand, nodeCommand } from "@gantry/sdk/node";
import { differences } from "./differences.ts";
import { errors } from "./errors.ts";
import { releaseOf } from "./release.ts";
import { runtimeOf } from "./runtime.ts";

const started = "dist/package/gantry.js";

/**
 * Asks both releases how they read the configuration of this directory, and tells where they
 * differ.
 */
export async function look({ options, out, signal }: CommandContext): Promise<number> {
  const { check, json } = options;
  if (typeof check !== "string") throw errors.UPGRADE_WHAT();
  const file = path.resolve(check);
  const unpacked = await mkdtemp(path.join(tmpdir(), "gantry-release-"));
  try {
    const command = await commandOf(file, unpacked).catch((error: NodeJS.ErrnoException) => {
      if (error.syscall?.startsWith("spawn") && error.code === "ENOENT") throw errors.UPGRADE_NO_TAR(file);
      throw errors.UPGRADE_NO_RELEASE(file, error.message.trim().split("\n").at(-1));
    });
    const now = await releaseOf(gantryCommand([], []), signal);
    const then = await releaseOf(command, signal);
    if (!now || !then) throw errors.UPGRADE_NO_RELEASE(file, "it does not tell its version");
    const found = { ...differences(now, then), runtime: runtimeOf(then, command[0] === file) };
    if (json) out(JSON.stringify({ from: now.version, to: then.version, ...found }));
    else for (const line of linesOf(now.version, then.version, found)) out(line);
    return found.stops.length > 0 ? 1 : 0;
  } finally {
    await rm(unpacked, { recursive: true, force: true });
  }
}

function linesOf(
  now: string,
  then: string,
  { stops, changes, runtime }: ReturnType<typeof differences> & { readonly runtime: readonly string[] },
): readonly string[] {
  return [
    `This is ${now}, that is ${then}.`,
    ...stops.map((line) => `✗ ${line}`),
    ...runtime.map((line) => `! ${line}`),
    ...changes.map((line) => `- ${line}`),
    ...(stops.length + changes.length === 0 ? ["For this configuration nothing changes."] : []),
  ];
}

/** Returns the command that starts the release: a package file is unpacked for it. */
async function commandOf(file: string, unpacked: string): Promise<readonly string[]> {
  if ((await stat(file)).isDirectory()) return nodeCommand([], path.join(file, started));
  if (!/\.t(?:ar\.)?gz$/.test(file)) return [file];
  await promisify(execFile)("tar", ["-xzf", file, "-C", unpacked]);
  return nodeCommand([], path.join(unpacked, "package", started));
}
