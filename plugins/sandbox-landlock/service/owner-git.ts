import { homedir } from "node:os";
import path from "node:path";
import { realPath } from "./real-path.ts";
import { type OwnerGit, followSettings } from "../workspace/git-settings.ts";

/**
 * Returns the settings that this user's git obeys in every repository: the system's and the user's
 * own, with what they include.
 */
export function ownerGit(): OwnerGit {
  const home = homedir();
  const own = process.env["XDG_CONFIG_HOME"] || path.join(home, ".config");
  const named = ["/etc/gitconfig", path.join(own, "git/config"), path.join(home, ".gitconfig")];
  const { settings, files } = followSettings(named, home, realPath);
  return { home, settings, files };
}
