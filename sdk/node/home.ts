import { realpathSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { isInside } from "./links.ts";

/**
 * Returns the homes of this user that are a folder or lie in it: the one that programs are told of,
 * and the one in which a login begins. `folder`: absolute, with links followed.
 */
export function homesIn(folder: string): readonly string[] {
  const homes = [homedir, () => userInfo().homedir].flatMap((read) => {
    try {
      return [realpathSync(read())];
    } catch {
      return [];
    }
  });
  return [...new Set(homes)].filter((home) => isInside(home, folder));
}
