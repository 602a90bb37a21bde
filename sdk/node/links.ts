import { readlink, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";

/** As many as the kernel follows. */
const MAX_LINKS = 40;

/** Returns `~` and `~/x` with the home directory written out; every other path as it is. */
export function expandHome(written: string): string {
  return written === "~" || written.startsWith("~/") ? path.join(homedir(), written.slice(1)) : written;
}

/**
 * Returns the absolute path with links followed as far as it exists. A link that leads nowhere yet
 * is followed too, since what is written through it lands at its target. Never throws: a path that
 * cannot be read is returned as given. Guards and kernel walls use this one resolver, so that they
 * cannot disagree.
 */
export async function followLinks(absolute: string, hops: number = 0): Promise<string> {
  const rest: string[] = [];
  for (let at = absolute; ; at = path.dirname(at)) {
    try {
      return path.join(await realpath(at), ...rest);
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (path.dirname(at) === at || !["ENOENT", "ENOTDIR", "EACCES", "ELOOP"].includes(code))
        return absolute;
      const target = await readlink(at).catch(() => undefined);
      if (target !== undefined && hops < MAX_LINKS) {
        return followLinks(path.join(path.resolve(path.dirname(at), target), ...rest), hops + 1);
      }
      rest.unshift(path.basename(at));
    }
  }
}

/**
 * Returns true for `root` itself and for all inside it; letter case does not count on systems that
 * fold it.
 */
export function isInside(at: string, root: string): boolean {
  const [a, b] = process.platform === "darwin" ? [at.toLowerCase(), root.toLowerCase()] : [at, root];
  return a === b || a.startsWith(b.endsWith("/") ? b : `${b}/`);
}
