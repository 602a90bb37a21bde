import { lstat, readlink } from "node:fs/promises";
import path from "node:path";
import { errors } from "../errors.ts";

/** Whoever belongs to the group, and everybody else. */
const writableByOthers = 0o022;
/** In such a folder nobody renames or removes what is another's. */
const sticky = 0o1000;
const maxLinks = 40;

/**
 * Throws `CONFIG_UNSAFE` where somebody else could have written the configuration, or could put another in its place: the
 * file names who gets the keys and what is allowed. So each folder and link on the way counts. What root owns is trusted,
 * and what is not there is nobody's.
 */
export async function refuseUnsafe(configDir: string, configFile: string): Promise<void> {
  const uid = process.getuid?.();
  if (uid === undefined) return;
  const [toDir, toFile] = [await onTheWay(configDir), await onTheWay(configFile)];
  const file = toFile.at(-1)!;
  const own = [toDir.at(-1)!, path.dirname(file), file];
  for (const at of new Set([...own, ...toDir, ...toFile])) {
    const found = await lstat(at).catch(() => undefined);
    if (!found) continue;
    const isLink = found.isSymbolicLink();
    if (found.uid !== 0 && found.uid !== uid)
      throw errors.CONFIG_UNSAFE(
        at,
        "it belongs to another user",
        `chown ${isLink ? "-h " : ""}${uid} ${at}`,
      );
    // A link's mode says nothing.
    if (isLink) continue;
    const shared = (found.mode & sticky) !== 0 && !own.includes(at);
    if ((found.mode & writableByOthers) !== 0 && !shared)
      throw errors.CONFIG_UNSAFE(at, "other users may write it", `chmod go-w ${at}`);
  }
}

/** Every folder and link that the system passes on the way to a path, and last where it leads. */
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
