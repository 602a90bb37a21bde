import { lstat, readlink } from "node:fs/promises";
import path from "node:path";

/** Whoever belongs to the group, and everybody else. */
const writableByOthers = 0o022;
/** In such a folder nobody renames or removes what is another's. */
const sticky = 0o1000;
const maxLinks = 40;

/** A place at which somebody else could change what a path leads to. */
export interface ForeignPlace {
  readonly at: string;
  readonly why: string;
  /** The command that closes it. */
  readonly cure: string;
}

/**
 * Returns the first place on the way to a file that somebody else may write: each folder and link
 * counts. What root owns is trusted, and what is not there is nobody's.
 */
export async function foreignOnTheWay(
  file: string,
  folder: string = path.dirname(file),
): Promise<ForeignPlace | undefined> {
  const uid = process.getuid?.();
  if (uid === undefined) return undefined;
  const [toFolder, toFile] = [await onTheWay(folder), await onTheWay(file)];
  const end = toFile.at(-1)!;
  const own = [toFolder.at(-1)!, path.dirname(end), end];
  for (const at of new Set([...own, ...toFolder, ...toFile])) {
    const found = await lstat(at).catch(() => undefined);
    if (!found) continue;
    const isLink = found.isSymbolicLink();
    if (found.uid !== 0 && found.uid !== uid)
      return { at, why: "it belongs to another user", cure: `chown ${isLink ? "-h " : ""}${uid} ${at}` };
    // A link's mode says nothing.
    if (isLink) continue;
    const shared = (found.mode & sticky) !== 0 && !own.includes(at);
    if ((found.mode & writableByOthers) !== 0 && !shared)
      return { at, why: "other users may write it", cure: `chmod go-w ${at}` };
  }
  return undefined;
}

/**
 * Returns every folder and link that the system passes on the way to a path, and last its target.
 */
async function onTheWay(absolute: string): Promise<readonly string[]> {
  const passed: string[] = [];
  const names = absolute.split("/");
  let at = "/";
  for (let links = 0; names.length > 0;) {
    const next = path.join(at, names.shift()!);
    const target = links < maxLinks ? await readlink(next).catch(() => undefined) : undefined;
    passed.push(at, next);
    if (target === undefined) at = next;
    else {
      links++;
      names.unshift(...target.split("/"));
      if (target.startsWith("/")) at = "/";
    }
  }
  return [...passed, at];
}
