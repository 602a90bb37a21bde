import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * Writes stand-ins for the man page and the completions of the npm package; returns the folder that
 * holds them.
 */
export function writeDocuments(dir: string): string {
  const folder = path.join(dir, "documents");
  for (const file of [
    "man/gantry.1",
    "completion/gantry.bash",
    "completion/_gantry",
    "completion/gantry.fish",
  ]) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), `${file}\n`);
  }
  return folder;
}
