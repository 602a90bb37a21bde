import { type Dirent, chmodSync, lstatSync, readdirSync } from "node:fs";
import path from "node:path";
import { looksLikeGit } from "./git-directory.ts";

/** Folders that are looked through; a larger workspace is looked at as far as that. */
const MAX_FOLDERS = 20_000;
/** A folder that changed so lately may change again without a later time. */
const SETTLED_NS = 50_000_000n;

interface Folder {
  readonly changed: bigint;
  readonly settled: boolean;
  /** Its own path as in a repository called `.git`, where it is in one. */
  readonly within: string | undefined;
  readonly found: readonly string[];
  readonly folders: readonly Place[];
}

interface Place {
  readonly at: string;
  readonly within: string | undefined;
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

  /** Relative paths; of what lies within a match only the match itself. What git takes for a repository counts as `.git`. */
  find(): readonly string[] {
    const seen = new Map<string, Folder>();
    const found: string[] = [];
    const left: Place[] = [{ at: "", within: undefined }];
    for (let place = left.pop(); place && seen.size < MAX_FOLDERS; place = left.pop()) {
      const folder = this.#look(place);
      if (!folder) continue;
      seen.set(place.at, folder);
      found.push(...folder.found);
      left.push(...folder.folders);
    }
    this.tooLarge = left.length > 0;
    this.#seen = seen;
    return found;
  }

  #look({ at, within }: Place): Folder | undefined {
    try {
      const full = path.join(this.#root, at);
      const { ctimeNs: changed } = lstatSync(full, { bigint: true });
      const before = this.#seen.get(at);
      if (before?.settled && before.changed === changed && before.within === within) return before;
      const found: string[] = [];
      const folders: Place[] = [];
      const entries = entriesOf(full);
      const names = new Set(entries.map(({ name }) => name));
      const isGit = path.basename(at) === ".git" || looksLikeGit((name) => names.has(name));
      const inGit = isGit ? ".git" : within;
      for (const entry of entries) {
        const name = path.join(at, entry.name);
        const asGit = inGit && path.join(inGit, entry.name);
        // A repository elsewhere, under a name that git follows.
        const pointer = entry.name === ".git" && !entry.isDirectory();
        if (pointer || this.#wanted(name) || (asGit && this.#wanted(asGit))) found.push(name);
        else if (entry.isDirectory()) folders.push({ at: name, within: asGit });
      }
      const settled = BigInt(Date.now()) * 1_000_000n - changed > SETTLED_NS;
      return { changed, settled, within, found, folders };
    } catch {
      // It is gone, or closed to this process and so to every run.
      return undefined;
    }
  }
}

/** A folder without leave to list it may be entered all the same, and a run can give itself that leave. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
    chmodSync(folder, (lstatSync(folder).mode & 0o7777) | 0o500);
    return readdirSync(folder, { withFileTypes: true });
  }
}
