import { chmodSync, lstatSync, readdirSync, rmdirSync, unlinkSync } from "node:fs";
import path from "node:path";

/** The permissions of a folder's owner. */
const OWN = 0o700;

/**
 * The folder for temporary files of one run at a time, emptied between runs: what one leaves is not
 * for the next.
 */
export class Temporary {
  /** The path if runs have a root of their own. */
  static readonly private = "/tmp";
  readonly path: string;
  /** Tells what lies in it from what is mounted there. */
  readonly #device: number;
  #left = false;

  constructor(folder: string) {
    this.path = folder;
    this.#device = lstatSync(folder).dev;
  }

  /** True if something that a run left could not be removed. */
  get isSpent(): boolean {
    return this.#left;
  }

  empty(): void {
    this.#empty(this.path);
  }

  /**
   * Empties a folder, without entering mounts in it, one of which may be the workspace. Returns
   * false if anything stays.
   */
  #empty(folder: string): boolean {
    try {
      const names = readdirSync(folder);
      return names.map((name) => this.#remove(path.join(folder, name))).every(Boolean);
    } catch {
      this.#left = true;
      return false;
    }
  }

  #remove(at: string): boolean {
    const about = lstatSync(at);
    if (about.dev !== this.#device) return false;
    if (!about.isDirectory()) unlinkSync(at);
    else {
      if ((about.mode & OWN) !== OWN) chmodSync(at, OWN);
      if (!this.#empty(at)) return false;
      rmdirSync(at);
    }
    return true;
  }
}
