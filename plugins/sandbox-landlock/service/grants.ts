import { lstatSync, readdirSync } from "node:fs";
import path from "node:path";
import { expandHome, followLinks, isInside } from "@gantry/sdk/node";

export interface GrantsInput {
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly blocked: readonly string[];
  /** Real paths. */
  readonly workspace: string;
  /** The folder of the workspace beyond which nothing of it is granted; default: all of it. */
  readonly within?: string | undefined;
  /** Undefined: it may be entered. */
  readonly configDir: string | undefined;
  /** Paths whose code runs as the service; nothing in them is ever written. */
  readonly own: readonly string[];
}

export interface Grants {
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Paths by which a granted one is known too, with where each leads. */
  readonly links: readonly (readonly [from: string, to: string])[];
}

/** Devices and lists that hold nothing of anybody and that programs cannot do without. */
const HARMLESS_READ = [
  "/dev/zero",
  "/dev/random",
  "/dev/urandom",
  "/etc/alternatives",
  "/etc/ld.so.cache",
  "/proc/cpuinfo",
  "/proc/meminfo",
];
const HARMLESS_BOTH = ["/dev/null", "/dev/full"];
/** The paths that every run may read. */
export const HARMLESS: readonly string[] = [...HARMLESS_READ, ...HARMLESS_BOTH];

/**
 * Writes out `~`, `$WORKSPACE` and relative paths, with links followed as far as the path exists
 * and beyond.
 */
export function expand(written: string, workspace: string): Promise<string> {
  return followLinks(absolute(written, workspace));
}

function absolute(written: string, workspace: string): string {
  const withWorkspace = expandHome(written).replace(
    /^(\$WORKSPACE|\$\{WORKSPACE\})(?=\/|$)/,
    () => workspace,
  );
  return path.resolve(workspace, withWorkspace);
}

/**
 * Returns the paths that the kernel is told to allow. Landlock can only allow, so a directory with
 * something blocked beneath it is granted entry by entry, as its entries stand now; the blocked
 * path is never among them, whether it exists yet or not. Only the workspace may lie in something
 * blocked.
 */
export async function grants(input: GrantsInput): Promise<Grants> {
  const { read, write, blocked, workspace, configDir, own, within = workspace } = input;
  const shut = configDir === undefined ? blocked : [...blocked, configDir];
  const closed = await Promise.all(shut.map((written) => expand(written, workspace)));
  const around = closed.filter((one) => one !== workspace && isInside(workspace, one));
  const open = async (written: string): Promise<readonly string[]> => {
    const allowed = await expand(written, workspace);
    const beside = closed.filter((one) => !around.includes(one));
    if (within === workspace) return exclude(allowed, isInside(allowed, workspace) ? beside : closed);
    const inner = isInside(within, allowed) ? within : allowed;
    const ofWorkspace = isInside(inner, within) ? exclude(inner, beside) : [];
    return [...exclude(allowed, [...closed, workspace]), ...ofWorkspace];
  };
  const readable = (await Promise.all(read.map(open))).flat();
  const writable = (await Promise.all(write.map(open))).flat().flatMap((one) => exclude(one, own));
  return {
    read: [...new Set([...readable, ...HARMLESS_READ, ...HARMLESS_BOTH])],
    write: [...new Set([...writable, ...HARMLESS_BOTH])],
    links: await linksTo([...read, ...write].map((written) => absolute(written, workspace))),
  };
}

/** Returns the links among what was written, and those in the root of the file system. */
async function linksTo(written: readonly string[]): Promise<readonly (readonly [string, string])[]> {
  const root = readdirSync("/", { withFileTypes: true }).filter((entry) => entry.isSymbolicLink());
  const all = [...new Set([...root.map(({ name }) => `/${name}`), ...written])];
  const pairs = await Promise.all(all.map(async (at) => [at, await followLinks(at)] as const));
  return pairs.filter(([from, to]) => from !== to);
}

function exclude(allowed: string, blocked: readonly string[]): readonly string[] {
  if (blocked.some((one) => isInside(allowed, one))) return [];
  const within = blocked.filter((one) => isInside(one, allowed));
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
