import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { root } from "./cli.ts";

const cache = path.join(root, "node_modules/.cache/package");

/**
 * Returns the file that `npm pack` makes of the present build; packed once for each build, by one
 * process at a time.
 */
export function packed(): string {
  mkdirSync(cache, { recursive: true });
  const lock = path.join(cache, "packing");
  while (!taken(lock)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  try {
    const { mtimeMs } = statSync(path.join(root, "host/dist/.built"));
    const file = path.join(cache, `${Math.round(mtimeMs)}.tgz`);
    if (existsSync(file)) return file;
    const said = execFileSync("npm", ["pack", "--json", "--pack-destination", cache], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    renameSync(path.join(cache, /"filename":\s*"([^"]+)"/.exec(said)?.[1] ?? ""), file);
    return file;
  } finally {
    rmSync(lock, { recursive: true });
  }
}

function taken(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    // The lock of a process that was killed.
    if (Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0) > 120_000)
      rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

/**
 * `npm install -g` of a package file below `prefix`, as on a machine without a network and without
 * scripts; gives all that npm said.
 */
export function installGlobally(file: string, prefix: string): Promise<string> {
  mkdirSync(prefix, { recursive: true });
  const args = ["install", "--global", "--offline", "--ignore-scripts", "--omit=optional", file];
  // npm knows nothing of this machine: neither its settings nor what it has fetched before.
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: prefix,
    npm_config_prefix: prefix,
    npm_config_cache: path.join(prefix, "npm-cache"),
    npm_config_update_notifier: "false",
  };
  return new Promise((resolve, reject) => {
    execFile("npm", args, { cwd: prefix, env }, (error, stdout, stderr) => {
      if (error) reject(new Error(`npm: ${stderr}`));
      else resolve(stdout + stderr);
    });
  });
}

/** Returns the program that an installation below `prefix` put on the search path. */
export function installedBin(prefix: string): string {
  return path.join(prefix, "lib/node_modules/gantry/dist/package/gantry.js");
}
