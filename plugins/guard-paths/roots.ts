import { homedir } from "node:os";
import path from "node:path";
import type { Runtime } from "@gantry/sdk";
import { follow, isBeneath } from "./resolve.ts";

export interface PathConfig {
  readonly blocked_paths: readonly string[];
  readonly sandboxing: {
    readonly allowed_read_paths: readonly string[];
    readonly allowed_write_paths: readonly string[];
  };
}

/** Where tools may go, all absolute with links followed. */
export interface Roots {
  readonly workspace: string;
  /** File tools. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Words on command lines: programs also read the system's own files. */
  readonly command: readonly string[];
  readonly blocked: readonly string[];
}

const SYSTEM = new Set(["/usr", "/lib", "/lib64", "/bin", "/etc/ssl", "/etc/resolv.conf", "/etc/hosts"]);

export async function rootsOf(
  config: PathConfig,
  runtime: Pick<Runtime, "workspace" | "configDir">,
): Promise<Roots> {
  const { workspace, configDir } = runtime;
  const both = async (written: string): Promise<string[]> => {
    const absolute = expand(written, workspace);
    return [absolute, await follow(absolute)];
  };
  const all = async (list: readonly string[]) => [...new Set((await Promise.all(list.map(both))).flat())];
  const { allowed_read_paths, allowed_write_paths } = config.sandboxing;
  const write = await all(["$WORKSPACE", ...allowed_write_paths]);
  const read = [...write, ...(await all(allowed_read_paths.filter((one) => !SYSTEM.has(one))))];
  return {
    workspace,
    read,
    write,
    command: [
      ...read,
      ...(await all(allowed_read_paths)),
      ...(await all([...SYSTEM, "/sbin"].filter((one) => one.endsWith("bin")))),
    ],
    blocked: await all([...config.blocked_paths, configDir]),
  };
}

/** `~`, `$WORKSPACE` and relative paths as the configuration means them. */
export function expand(written: string, workspace: string): string {
  const home = written === "~" || written.startsWith("~/") ? path.join(homedir(), written.slice(1)) : written;
  return path.resolve(
    workspace,
    home.replace(/^(\$WORKSPACE|\$\{WORKSPACE\})(?=\/|$)/, () => workspace),
  );
}

/** Inside one of `allowed` and outside all that is blocked; the workspace itself stays open where it lies in a blocked folder. */
export function isOpen(at: string, allowed: readonly string[], roots: Roots): boolean {
  if (!allowed.some((root) => isBeneath(at, root))) return false;
  return !roots.blocked.some(
    (block) => isBeneath(at, block) && !(isBeneath(at, roots.workspace) && isBeneath(roots.workspace, block)),
  );
}
