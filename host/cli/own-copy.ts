import {
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { makeDir } from "@gantry/sdk/node";
import path from "node:path";

/** A process says so often that it runs from its copy. */
const usedMs = 6 * 3_600_000;
/** A copy that nobody has used for this long has no process left. */
const unusedMs = 14 * 24 * 3_600_000;

/**
 * A release, copied once to where only this user can write, `<config_dir>/cache/releases/<name>`:
 * what runs from there finds its code for as long as it runs, whatever is installed or removed
 * meanwhile. `name` holds the hash of the content; `fill` writes it into a folder that does not
 * exist yet. Throws what the file system says, and where others could write there.
 */
export function ownCopy(configDir: string, name: string, fill: (folder: string) => void): string {
  const releases = path.join(configDir, "cache", "releases");
  const folder = path.join(releases, name);
  const made = statSync(folder, { throwIfNoEntry: false });
  if (!made) makeDir(releases);
  refuseForeign(releases);
  if (!made) {
    makeCopy(folder, fill);
    removeUnused(releases, name);
  } else if (Date.now() - made.mtimeMs > usedMs) use(folder);
  setInterval(use, usedMs, folder).unref();
  return folder;
}

function makeCopy(folder: string, fill: (folder: string) => void): void {
  const draft = `${folder}.${process.pid}.tmp`;
  try {
    fill(draft);
    sync(draft);
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another process has made the same one.
    if (!statSync(folder, { throwIfNoEntry: false })) throw error;
  }
}

/** On disk before it has its name, so that no power cut leaves half a file in a whole copy. */
function sync(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const at = path.join(folder, entry.name);
    if (entry.isDirectory()) sync(at);
    else syncOne(at);
  }
  syncOne(folder);
}

function syncOne(file: string): void {
  const opened = openSync(file, "r");
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

function refuseForeign(releases: string): void {
  const { uid, mode } = lstatSync(releases);
  if (uid !== process.getuid?.() || (mode & 0o022) !== 0) throw new Error(`others may write to ${releases}`);
}

function use(folder: string): void {
  const now = new Date();
  try {
    utimesSync(folder, now, now);
  } catch {
    // It was removed by hand; the next start makes it again.
  }
}

function removeUnused(releases: string, kept: string): void {
  for (const name of readdirSync(releases)) {
    const at = path.join(releases, name);
    const { mtimeMs = Date.now() } = statSync(at, { throwIfNoEntry: false }) ?? {};
    if (name !== kept && Date.now() - mtimeMs > unusedMs) rmSync(at, { recursive: true, force: true });
  }
}
