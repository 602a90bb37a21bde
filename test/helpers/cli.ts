import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";

export { tempDir } from "./temp-dir.ts";

export const root: string = fileURLToPath(new URL("../..", import.meta.url));
export const bin: string = path.join(root, "host/dist/cli.js");

// Builds what is stale, one process at a time: `npm test` has done so already, and this costs a
// look at the files.
execFileSync(process.execPath, [path.join(root, ".ci/prepare.mjs")], {
  stdio: ["ignore", "ignore", "inherit"],
});

export interface Run {
  readonly dir: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Null keeps stdin open. */
  readonly input?: string | null;
  readonly node?: string;
  /** The program to run instead of the one that was built. */
  readonly bin?: string;
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/**
 * Returns the environment of a run of the real command line: nothing of this machine's own
 * credentials and proxies.
 */
export function environment({ dir, env = {} }: Pick<Run, "dir" | "env">): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: path.join(dir, "home"),
    SERVICE_CONFIG_DIR: dir,
    NODE_COMPILE_CACHE: path.join(root, "node_modules/.cache/compile"),
    NO_COLOR: "1",
    ...env,
  };
}

/** Starts the built command line as a process of its own. */
export function startGantry(
  args: readonly string[],
  run: Run,
): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const child = spawn(run.node ?? process.execPath, [run.bin ?? bin, ...args], {
    cwd: run.cwd ?? run.dir,
    env: environment(run),
  });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  child.stdin.on("error", () => {});
  if (run.input !== null) child.stdin.end(run.input ?? "");
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out, err }));
  });
  return { child, ended };
}

/** Runs the built command line to its end. */
export function gantry(args: readonly string[], run: Run): Promise<Ended> {
  return startGantry(args, run).ended;
}

/** Resolves once a stream has said something that matches. */
export function said(child: ChildProcess, stream: "stdout" | "stderr", pattern: RegExp): Promise<string> {
  let text = "";
  return new Promise((resolve, reject) => {
    child[stream]?.on("data", (piece: string) => {
      text += piece;
      if (pattern.test(text)) resolve(text);
    });
    child.on("close", () => reject(new Error(`ended without ${String(pattern)}: ${text}`)));
  });
}
