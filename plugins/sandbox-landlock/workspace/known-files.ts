import type { Dirent } from "node:fs";
import path from "node:path";
import { isInside } from "@gantry/sdk/node";
import { aboutPath, identityOf } from "./about-path.ts";
import { namesIn } from "./folders.ts";
import { targetOf } from "./mask-paths.ts";

/** Files that are secret under whatever name. Paths are relative to the workspace. */
export class KnownFiles {
  readonly #root: string;
  readonly #inodes = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  has(entry: Dirent, at: string): boolean {
    if (this.#inodes.size === 0 || !(entry.isFile() || entry.isDirectory())) return false;
    const about = aboutPath(path.join(this.#root, at));
    return about !== undefined && this.#inodes.has(identityOf(about));
  }

  /** Adds what is there. Returns true if a file that was not known has further names, or a link leads to it. */
  add(at: string): boolean {
    const full = path.join(this.#root, at);
    const entry = aboutPath(full);
    if (entry?.isDirectory())
      return namesIn(full)
        .map((name) => this.add(path.join(at, name)))
        .some(Boolean);
    const isLink = entry?.isSymbolicLink() === true;
    const [target = full] = isLink ? targetOf(this.#root, at) : [];
    const about = isInside(full, target) && isLink ? undefined : aboutPath(target);
    const inode = about?.isFile() || about?.isDirectory() ? identityOf(about) : "";
    if (inode === "" || this.#inodes.has(inode)) return false;
    this.#inodes.add(inode);
    return isLink || about!.nlink > 1;
  }
}
