import { type Dirent, lstatSync } from "node:fs";
import path from "node:path";
import type { NameTest } from "@gantry/sdk/node";
import { aboutPath } from "./about-path.ts";
import type { FolderWatch } from "./folder-watch.ts";
import { looksLikeGit } from "./git-directory.ts";
import { entriesOf, foreignNames, mayEnter, prefixes } from "./folders.ts";
import { Followed } from "./followed.ts";
import type { OwnerGit } from "./git-settings.ts";
import { KnownFiles } from "./known-files.ts";

/** A folder that changed so lately may change again without a later time. */
const SETTLED_NS = 50_000_000n;
/** What is learned from one look may show more to the next; a workspace that never settles serves no run. */
const MOST_LOOKS = 8;

interface Place {
  readonly at: string;
  /** Its own path as in a repository called `.git`, where it is in one. */
  readonly within: string | undefined;
  /** True beneath something guarded. */
  readonly held: boolean;
}

interface Folder extends Place {
  readonly ino: bigint;
  readonly changed: bigint;
  /** Its number among the folders that are watched. */
  readonly watched: number | undefined;
  readonly settled: boolean;
  readonly isGit: boolean;
  readonly secret: readonly string[];
  readonly guarded: readonly string[];
  /** Links that are guarded, or lie beneath something guarded. */
  readonly links: readonly string[];
  readonly folders: readonly Place[];
}

/** Relative paths. */
export interface Found {
  readonly secret: readonly string[];
  readonly guarded: readonly string[];
}

/** What could not be looked through, and why. */
export interface Unseen {
  readonly path: string;
  readonly reason: string;
}

export interface Wanted {
  readonly secret: NameTest;
  readonly guarded: NameTest;
}

export interface Walked {
  readonly root: string;
  readonly wanted: Wanted;
  readonly owner: OwnerGit;
  /** What of the workspace the walls leave open, "" for all; the rest is closed to every run. */
  readonly open: readonly string[];
  /** Tells which folders changed; without it each one is asked. */
  readonly watch?: FolderWatch | undefined;
}

/** Finds the secret and guarded files of a workspace, again and again; what did not change is not read again. */
export class WorkspaceWalk {
  readonly #walked: Walked;
  readonly #known: KnownFiles;
  /** Guarded under whatever name. */
  readonly #followed: Followed;
  #seen: ReadonlyMap<string, Folder> = new Map();
  /** What the last look found, if every folder of it is watched. */
  #last: Found | undefined;
  /** Undefined where the last look saw everything. */
  unseen: Unseen | undefined;

  constructor(walked: Walked) {
    this.#walked = walked;
    this.#known = new KnownFiles(walked.root);
    this.#followed = new Followed(walked.root, walked.owner);
  }

  /**
   * Of what lies within a match only the match itself, but secret files in guarded folders too. What git takes for a
   * repository counts as `.git`, with the hooks that its settings name. Further names of a secret file are secret, and what a
   * secret or guarded link leads to is secret or guarded like the link.
   */
  find(): Found {
    this.unseen = undefined;
    let found = (this.#isUnchanged() ? this.#last : undefined) ?? this.#look();
    let looks = 1;
    for (; looks < MOST_LOOKS && this.#learn(found); looks++) {
      // Where else it stands shows only in files that were passed over.
      this.#seen = new Map();
      this.unseen = undefined;
      found = this.#look();
    }
    if (found !== this.#last) this.#last = this.unseen || !this.#isWatched() ? undefined : found;
    const at = this.#walked.root;
    if (!this.#followed.isWhole)
      this.unseen = { path: at, reason: "the settings of its repositories name too many files" };
    if (looks === MOST_LOOKS) this.unseen = { path: at, reason: "its guarded links lead on and on" };
    return found;
  }

  /** True if the look found something that makes more secret or guarded. */
  #learn({ secret }: Found): boolean {
    const links = [...this.#seen.values()].flatMap((folder) => folder.links);
    const isNew = [
      ...secret.map((at) => this.#known.add(at)),
      this.#followed.look(this.#repositories(), links),
    ];
    return isNew.some(Boolean);
  }

  /** True if nothing happened in any folder that is watched, and the workspace is the one that it was. */
  #isUnchanged(): boolean {
    const { watch, root } = this.#walked;
    return watch?.look() === false && aboutPath(root)?.ino === this.#seen.get("")?.ino;
  }

  #isWatched(): boolean {
    return [...this.#seen.values()].every(({ watched }) => this.#walked.watch?.isSame(watched));
  }

  #repositories(): readonly string[] {
    return [...this.#seen.values()].filter(({ isGit }) => isGit).map(({ at }) => at);
  }

  /** True for what a repository of the workspace names in its settings, and for what lies beneath it. */
  follows(relative: string): boolean {
    return prefixes(relative).some((at) => this.#followed.has(at));
  }

  #look(): Found {
    const { wanted, open } = this.#walked;
    const seen = new Map<string, Folder>();
    const found: Pick<Folder, "secret" | "guarded">[] = [];
    const left: (readonly [place: Place, isSame: boolean])[] = [];
    for (const at of open) {
      const [secret, guarded] = [wanted.secret, wanted.guarded].map((test) =>
        prefixes(at).some((one) => test(one)),
      );
      if (secret || guarded) found.push({ secret: secret ? [at] : [], guarded: guarded ? [at] : [] });
      if (!secret) left.push([{ at, within: undefined, held: guarded === true }, false]);
    }
    for (let next = left.pop(); next; next = left.pop()) {
      const [place, isSame] = next;
      const folder = this.#lookAt(place, isSame);
      if (!folder) continue;
      seen.set(place.at, folder);
      if (folder.secret.length + folder.guarded.length > 0) found.push(folder);
      const isKept = folder.folders === this.#seen.get(place.at)?.folders;
      for (const inner of folder.folders) left.push([inner, isKept]);
    }
    this.#seen = seen;
    return {
      secret: found.flatMap(({ secret }) => secret),
      guarded: found.flatMap(({ guarded }) => guarded),
    };
  }

  /** `isSame`: the folder around has the same names for the same things as at the last look. */
  #lookAt(place: Place, isSame: boolean): Folder | undefined {
    const { root, watch } = this.#walked;
    const full = path.join(root, place.at);
    const before = this.#seen.get(place.at);
    const isOfOld = before?.within === place.within && before?.held === place.held;
    if (before && isOfOld && isSame && watch?.isSame(before.watched)) return before;
    try {
      // Watching costs more than one look; a folder that is looked at again is worth it.
      const watched = before && watch?.add(full);
      const { ino, ctimeNs: changed } = lstatSync(full, { bigint: true });
      const isStill = before?.changed === changed && before.ino === ino && before.settled;
      if (isOfOld && isStill) return { ...before, watched };
      const settled = BigInt(Date.now()) * 1_000_000n - changed > SETTLED_NS;
      const entries = entriesOf(full);
      if (this.#isForeign(full, entries)) return undefined;
      return { ...place, ino, changed, watched, settled, ...this.#sort(place, entries) };
    } catch (error) {
      const { code = String(error) } = error as NodeJS.ErrnoException;
      // It is gone, too deep to have a path, or closed to this process and so to every run.
      if (["ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(code) || (code === "EACCES" && !mayEnter(full)))
        return undefined;
      this.unseen = { path: full, reason: code };
      return undefined;
    }
  }

  /** What has such a name cannot be looked at, nor covered. */
  #isForeign(folder: string, entries: readonly Dirent[]): boolean {
    if (!entries.some(({ name }) => name.includes("\uFFFD")) || foreignNames(folder).length === 0)
      return false;
    this.unseen = { path: folder, reason: "a name in it is not UTF-8: rename it" };
    return true;
  }

  #sort(
    { at, within, held }: Place,
    entries: readonly Dirent[],
  ): Pick<Folder, "isGit" | "secret" | "guarded" | "links" | "folders"> {
    const names = new Set(entries.map(({ name }) => name));
    const isGit = path.basename(at) === ".git" || looksLikeGit((name) => names.has(name));
    const [secret, guarded, links]: [string[], string[], string[]] = [[], [], []];
    const sorted = { isGit, secret, guarded, links, folders: [] as Place[] };
    const inGit = isGit ? ".git" : within;
    for (const entry of entries) {
      const name = path.join(at, entry.name);
      const asGit = inGit && path.join(inGit, entry.name);
      const isFolder = entry.isDirectory();
      const fits = (test: NameTest) => test(name, isFolder) || (asGit && test(asGit, isFolder)) || false;
      const isSecret = fits(this.#walked.wanted.secret) || this.#known.has(entry, name);
      if (isSecret) secret.push(name);
      // A repository elsewhere, under a name that git follows.
      const pointer = entry.name === ".git" && !entry.isDirectory();
      const fitsGuarded = pointer || this.#followed.has(name) || fits(this.#walked.wanted.guarded);
      if (!held && fitsGuarded) guarded.push(name);
      // Git works in what a pointer leads to.
      if (entry.isSymbolicLink() && !pointer && (held || fitsGuarded)) links.push(name);
      if (isFolder && !isSecret) sorted.folders.push({ at: name, within: asGit, held: held || fitsGuarded });
    }
    return sorted;
  }
}
