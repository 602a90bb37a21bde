import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { MAX_FILES, type OwnerGit, type Setting, pathIn, settingsIn } from "../workspace/git-settings.ts";

/** What git of this service's user obeys in every repository, by the system's settings and by his own, with what they include. */
export function ownerGit(): OwnerGit {
  const home = homedir();
  const own = process.env["XDG_CONFIG_HOME"] || path.join(home, ".config");
  const named = ["/etc/gitconfig", path.join(own, "git/config"), path.join(home, ".gitconfig")];
  const settings: Setting[] = [];
  const files: string[] = [];
  for (const file of named) {
    const real = realPath(file);
    if (real === undefined) continue;
    const read = settingsIn(real);
    files.push(real);
    settings.push(...read);
    const included = read.filter(([key]) => key === "path").slice(0, MAX_FILES - named.length);
    named.push(...included.map(([, value]) => pathIn(value, path.dirname(file), home)));
  }
  return { home, settings, files };
}

function realPath(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}
