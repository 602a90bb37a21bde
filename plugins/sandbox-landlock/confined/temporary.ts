import { chmodSync, lstatSync, readdirSync, rmdirSync, unlinkSync } from "node:fs";
import path from "node:path";

/** What the owner of a folder may. */
const OWN = 0o700;

/** The folder for temporary files of one run at a time, emptied between runs: what one leaves is not for the next. */
export class Temporary {
  /** Where runs have a root of their own. */
  static readonly private = "/tmp";
  readonly path: string;
  /** Tells what lies in it from what is mounted there. */
  readonly #device: number;
  #left = false;

  constructor(folder: string) {
    this.path = folder;
    this.#device = lstatSync(folder).dev;
  }

  /** True where something of a run could not be taken away. */
  get isSpent(): boolean {
    return this.#left;
  }

  empty(): void {
    this.#empty(this.path);
  }

  /** Never enters what is mounted within, which may be the workspace. False where something is. */
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
