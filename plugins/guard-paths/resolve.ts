import { readlink, realpath } from "node:fs/promises";
import path from "node:path";

/** Absolute, links followed as far as the path exists, and through links that lead nowhere yet. */
export async function follow(absolute: string, hops = 0): Promise<string> {
  const rest: string[] = [];
  for (let at = absolute; ; at = path.dirname(at)) {
    try {
      return path.join(await realpath(at), ...rest);
    } catch {
      if (path.dirname(at) === at) return absolute;
      const target = await readlink(at).catch(() => undefined);
      if (target !== undefined && hops < 40)
        return follow(path.join(path.resolve(path.dirname(at), target), ...rest), hops + 1);
      rest.unshift(path.basename(at));
    }
  }
}

/** True for `root` itself and all beneath it. */
export function isBeneath(at: string, root: string): boolean {
  const [a, b] = process.platform === "darwin" ? [at.toLowerCase(), root.toLowerCase()] : [at, root];
  return a === b || a.startsWith(b.endsWith("/") ? b : `${b}/`);
}
