import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { MAX_FILES, type OwnerGit, type Setting, pathIn, settingsIn } from "../workspace/git-settings.ts";

/** What git of this service's user obeys in every repository, by the system's settings and by his own, with what they include. */
export function ownerGit(): OwnerGit {
  const home = homedir();
  const own = process.env["XDG_CONFIG_HOME"] || path.join(home, ".config");
  const files = ["/etc/gitconfig", path.join(own, "git/config"), path.join(home, ".gitconfig")];
  const settings: Setting[] = [];
  for (const file of files) {
    const read = settingsIn(file, true);
    settings.push(...read);
    const included = read.filter(([key]) => key === "path");
    files.push(
      ...included
        .slice(0, MAX_FILES - files.length)
        .map(([, value]) => pathIn(value, path.dirname(file), home)),
    );
  }
  return {
    home,
    settings,
    files: files.filter((file) => existsSync(file)).map((file) => realpathSync(file)),
  };
}
