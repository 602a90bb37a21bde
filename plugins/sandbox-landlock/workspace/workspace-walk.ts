import { type Dirent, lstatSync } from "node:fs";
import path from "node:path";
import { type NameTest, isInside } from "@gantry/sdk/node";
import { aboutPath, identityOf } from "./about-path.ts";
import { looksLikeGit } from "./git-directory.ts";
import { entriesOf, foreignNames, mayEnter, namesIn, prefixes } from "./folders.ts";
import { Followed } from "./followed.ts";
import type { OwnerGit } from "./git-settings.ts";
import { targetOf } from "./mask-paths.ts";

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
  readonly changed: bigint;
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
}

/** Finds the secret and guarded files of a workspace, again and again; what did not change is not read again. */
export class WorkspaceWalk {
  readonly #walked: Walked;
  /** Files that are secret under whatever name. */
  readonly #inodes = new Set<string>();
  /** Guarded under whatever name. */
  readonly #followed: Followed;
  #seen: ReadonlyMap<string, Folder> = new Map();
  /** Undefined where the last look saw everything. */
  unseen: Unseen | undefined;

  constructor(walked: Walked) {
    this.#walked = walked;
    this.#followed = new Followed(walked.root, walked.owner);
  }

  /**
   * Of what lies within a match only the match itself, but secret files in guarded folders too. What git takes for a
   * repository counts as `.git`, with the hooks that its settings name. Further names of a secret file are secret, and what a
   * secret or guarded link leads to is secret or guarded like the link.
   */
  find(): Found {
    let found = this.#look();
    let looks = 1;
    for (; looks < MOST_LOOKS && this.#learn(found); looks++) {
      // Where else it stands shows only in files that were passed over.
      this.#seen = new Map();
      found = this.#look();
    }
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
      ...secret.map((at) => this.#remember(at)),
      this.#followed.look(this.#repositories(), links),
    ];
    return isNew.some(Boolean);
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
    const left: Place[] = [];
    for (const at of open) {
      const [secret, guarded] = [wanted.secret, wanted.guarded].map((test) =>
        prefixes(at).some((one) => test(one)),
      );
      if (secret || guarded) found.push({ secret: secret ? [at] : [], guarded: guarded ? [at] : [] });
      if (!secret) left.push({ at, within: undefined, held: guarded === true });
    }
    this.unseen = undefined;
    for (let place = left.pop(); place; place = left.pop()) {
      const folder = this.#lookAt(place);
      if (!folder) continue;
      seen.set(place.at, folder);
      if (folder.secret.length + folder.guarded.length > 0) found.push(folder);
      left.push(...folder.folders);
    }
    this.#seen = seen;
    return {
      secret: found.flatMap(({ secret }) => secret),
      guarded: found.flatMap(({ guarded }) => guarded),
    };
  }

  #lookAt(place: Place): Folder | undefined {
    const full = path.join(this.#walked.root, place.at);
    try {
      const { ctimeNs: changed } = lstatSync(full, { bigint: true });
      const before = this.#seen.get(place.at);
      const isOfOld = before?.settled && before.within === place.within && before.held === place.held;
      if (isOfOld && before.changed === changed) return before;
      const settled = BigInt(Date.now()) * 1_000_000n - changed > SETTLED_NS;
      const entries = entriesOf(full);
      if (this.#isForeign(full, entries)) return undefined;
      return { ...place, changed, settled, ...this.#sort(place, entries) };
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
      const isSecret = fits(this.#walked.wanted.secret) || this.#isKnown(entry, name);
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

  #isKnown(entry: Dirent, name: string): boolean {
    if (this.#inodes.size === 0 || !(entry.isFile() || entry.isDirectory())) return false;
    const about = aboutPath(path.join(this.#walked.root, name));
    return about !== undefined && this.#inodes.has(identityOf(about));
  }

  /** True where a file that was not known has further names, or a link leads to it; `at` is relative to the workspace. */
  #remember(at: string): boolean {
    const full = path.join(this.#walked.root, at);
    const entry = aboutPath(full);
    if (entry?.isDirectory())
      return namesIn(full)
        .map((name) => this.#remember(path.join(at, name)))
        .some(Boolean);
    const isLink = entry?.isSymbolicLink() === true;
    const [target = full] = isLink ? targetOf(this.#walked.root, at) : [];
    const about = isInside(full, target) && isLink ? undefined : aboutPath(target);
    const inode = about?.isFile() || about?.isDirectory() ? identityOf(about) : "";
    if (inode === "" || this.#inodes.has(inode)) return false;
    this.#inodes.add(inode);
    return isLink || about!.nlink > 1;
  }
}
