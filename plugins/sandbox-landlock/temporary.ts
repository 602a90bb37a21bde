import { lstatSync, readdirSync, rmdirSync, unlinkSync } from "node:fs";
import path from "node:path";

/** The private folder for temporary files, emptied between runs: what one leaves is not for the next. */
export class Temporary {
  static readonly path = "/tmp";
  /** Tells what lies in it from what is mounted there. */
  readonly #device: number;

  constructor() {
    this.#device = lstatSync(Temporary.path).dev;
  }

  empty(): void {
    this.#empty(Temporary.path);
  }

  /** Never enters what is mounted within, which may be the workspace. */
  #empty(folder: string): void {
    for (const name of readdirSync(folder)) {
      const at = path.join(folder, name);
      const about = lstatSync(at);
      if (about.dev !== this.#device) continue;
      try {
        if (!about.isDirectory()) unlinkSync(at);
        else {
          this.#empty(at);
          rmdirSync(at);
        }
      } catch {
        // Something is mounted within, or it is closed to this process.
      }
    }
  }
}
