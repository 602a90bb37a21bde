import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { isBeneath } from "./roots.ts";

export interface GrantsInput {
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly blocked: readonly string[];
  /** Real paths. */
  readonly workspace: string;
  readonly configDir: string;
}

export interface Grants {
  readonly read: readonly string[];
  readonly write: readonly string[];
}

/** Devices and lists that hold nothing of anybody and that programs cannot do without. */
const HARMLESS_READ = [
  "/dev/zero",
  "/dev/random",
  "/dev/urandom",
  "/etc/ld.so.cache",
  "/proc/cpuinfo",
  "/proc/meminfo",
];
const HARMLESS_BOTH = ["/dev/null", "/dev/full"];

/** `~`, `$WORKSPACE` and what is relative to it written out, links followed as far as the path exists. */
export function expand(written: string, workspace: string): string {
  const home = written === "~" || written.startsWith("~/") ? path.join(homedir(), written.slice(1)) : written;
  return realOf(
    path.resolve(
      workspace,
      home.replace(/^(\$WORKSPACE|\$\{WORKSPACE\})(?=\/|$)/, () => workspace),
    ),
  );
}

function realOf(absolute: string): string {
  const rest: string[] = [];
  for (let at = absolute; ; at = path.dirname(at)) {
    try {
      return path.join(realpathSync(at), ...rest);
    } catch {
      if (path.dirname(at) === at) return absolute;
      rest.unshift(path.basename(at));
    }
  }
}

/**
 * What the kernel is told to allow. Landlock can only allow, so a directory with something blocked beneath it is granted
 * entry by entry, as its entries stand now; the blocked path is never among them, whether it exists yet or not. Only the
 * workspace may lie in something blocked.
 */
export function grants({ read, write, blocked, workspace, configDir }: GrantsInput): Grants {
  const closed = [...blocked, configDir].map((written) => expand(written, workspace));
  const around = closed.filter((one) => one !== workspace && isBeneath(workspace, [one]));
  const open = (written: string): readonly string[] => {
    const allowed = expand(written, workspace);
    return exclude(
      allowed,
      isBeneath(allowed, [workspace]) ? closed.filter((one) => !around.includes(one)) : closed,
    );
  };
  return {
    read: [...new Set([...read.flatMap(open), ...HARMLESS_READ, ...HARMLESS_BOTH])],
    write: [...new Set([...write.flatMap(open), ...HARMLESS_BOTH])],
  };
}

function exclude(allowed: string, blocked: readonly string[]): readonly string[] {
  if (isBeneath(allowed, blocked)) return [];
  const within = blocked.filter((one) => isBeneath(one, [allowed]));
  if (within.length === 0) return [allowed];
  return entriesOf(allowed).flatMap((name) => exclude(path.join(allowed, name), within));
}

/** Links are left out: what they lead to is granted, or not, by its own name. */
function entriesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory).filter((name) => !lstatSync(path.join(directory, name)).isSymbolicLink());
  } catch {
    return [];
  }
}
