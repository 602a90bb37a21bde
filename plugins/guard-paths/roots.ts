import path from "node:path";
import type { Runtime } from "@gantry/sdk";
import { expandHome, followLinks, homesIn, isInside } from "@gantry/sdk/node";
import { sensitiveNames, type SensitiveNames } from "./sensitive.ts";

export interface PathConfig {
  readonly blocked_paths: readonly string[];
  readonly secret_files: readonly string[];
  readonly guarded_files: readonly string[];
  readonly sandboxing: {
    readonly allowed_read_paths: readonly string[];
    readonly allowed_write_paths: readonly string[];
  };
}

/** The folders that tools may enter, all absolute with links followed. */
export interface Roots {
  readonly workspace: string;
  /**
   * The folder of the workspace beyond which nothing of it is open, which for most calls is all of
   * it.
   */
  readonly open: string;
  /** File tools. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Words on command lines: programs also read the system's own files. */
  readonly command: readonly string[];
  readonly blocked: readonly string[];
  /** The names inside them that no tool may touch or change. */
  readonly names: SensitiveNames;
}

/** The folder of `/etc/ssl` was a default of earlier releases. */
const SYSTEM = new Set([
  "/usr",
  "/lib",
  "/lib64",
  "/bin",
  "/etc/resolv.conf",
  "/etc/hosts",
  "/etc/ssl",
  "/etc/ssl/certs",
  "/etc/ssl/cert.pem",
  "/etc/ssl/openssl.cnf",
]);

export async function rootsOf(
  config: PathConfig,
  runtime: Pick<Runtime, "workspace" | "configDir">,
): Promise<Roots> {
  const { workspace, configDir } = runtime;
  const both = async (written: string): Promise<string[]> => {
    const absolute = expand(written, workspace);
    return [absolute, await followLinks(absolute)];
  };
  const all = async (list: readonly string[]) => [...new Set((await Promise.all(list.map(both))).flat())];
  const { allowed_read_paths, allowed_write_paths } = config.sandboxing;
  const write = await all(["$WORKSPACE", ...allowed_write_paths]);
  const read = [...write, ...(await all(allowed_read_paths.filter((one) => !SYSTEM.has(one))))];
  return {
    workspace,
    open: workspace,
    read,
    write,
    command: [
      ...read,
      ...(await all(allowed_read_paths)),
      ...(await all([...SYSTEM, "/sbin"].filter((one) => one.endsWith("bin")))),
    ],
    blocked: await all([...config.blocked_paths, configDir]),
    names: sensitiveNames(
      config.secret_files,
      config.guarded_files,
      homesIn(workspace).map((home) => path.relative(workspace, home)),
    ),
  };
}

/** `~`, `$WORKSPACE` and relative paths as the configuration means them. */
export function expand(written: string, workspace: string): string {
  return path.resolve(
    workspace,
    expandHome(written).replace(/^(\$WORKSPACE|\$\{WORKSPACE\})(?=\/|$)/, () => workspace),
  );
}

/**
 * True inside one of `allowed` and outside all that is blocked and all of the workspace that is not
 * open; the workspace itself stays open if it lies in a blocked folder.
 */
export function isOpen(at: string, allowed: readonly string[], roots: Roots): boolean {
  if (isInside(at, roots.workspace) && !isInside(at, roots.open)) return false;
  if (!allowed.some((root) => isInside(at, root))) return false;
  return !roots.blocked.some(
    (block) => isInside(at, block) && !(isInside(at, roots.workspace) && isInside(roots.workspace, block)),
  );
}
