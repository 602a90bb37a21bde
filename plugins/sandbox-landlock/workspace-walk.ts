import { lstatSync, readdirSync } from "node:fs";
import path from "node:path";

/** Folders that are looked through; a larger workspace is looked at as far as that. */
const MAX_FOLDERS = 20_000;
/** A folder that changed so lately may change again without a later time. */
const SETTLED_NS = 50_000_000n;

interface Folder {
  readonly changed: bigint;
  readonly settled: boolean;
  readonly found: readonly string[];
  readonly folders: readonly string[];
}

/** Finds the files and folders of a workspace by name, again and again; what did not change is not read again. */
export class WorkspaceWalk {
  readonly #root: string;
  readonly #wanted: (relative: string) => boolean;
  #seen = new Map<string, Folder>();
  tooLarge = false;

  constructor(root: string, wanted: (relative: string) => boolean) {
    this.#root = root;
    this.#wanted = wanted;
  }

  /** Relative paths; of what lies within a match only the match itself. */
  find(): readonly string[] {
    const seen = new Map<string, Folder>();
    const found: string[] = [];
    const left = [""];
    for (let at = left.pop(); at !== undefined && seen.size < MAX_FOLDERS; at = left.pop()) {
      const folder = this.#look(at);
      if (!folder) continue;
      seen.set(at, folder);
      found.push(...folder.found);
      left.push(...folder.folders);
    }
    this.tooLarge = left.length > 0;
    this.#seen = seen;
    return found;
  }

  #look(at: string): Folder | undefined {
    try {
      const full = path.join(this.#root, at);
      const { ctimeNs: changed } = lstatSync(full, { bigint: true });
      const before = this.#seen.get(at);
      if (before?.settled && before.changed === changed) return before;
      const found: string[] = [];
      const folders: string[] = [];
      for (const entry of readdirSync(full, { withFileTypes: true })) {
        const name = path.join(at, entry.name);
        // A repository elsewhere, under a name that git follows.
        const pointer = entry.name === ".git" && !entry.isDirectory();
        if (pointer || this.#wanted(name)) found.push(name);
        else if (entry.isDirectory() && !name.endsWith(".git/objects")) folders.push(name);
      }
      const settled = BigInt(Date.now()) * 1_000_000n - changed > SETTLED_NS;
      return { changed, settled, found, folders };
    } catch {
      // It is gone, or closed to this process and so to every run.
      return undefined;
    }
  }
}
