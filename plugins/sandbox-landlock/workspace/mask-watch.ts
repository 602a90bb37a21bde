import { watch } from "node:fs";
import path from "node:path";

/** What no event tells of, such as a folder that was replaced, is seen as late as this. */
const LOOK_MS = 50;

/**
 * Tells when a mask has fallen off a secret file. Nothing in a run can do that; somebody outside who saves the file anew, as
 * editors do, can, since the mask lies over the old one. Begins before the walls stand, which forbid new watches.
 */
export class MaskWatch {
  readonly #isBare: () => string | undefined;
  #stop: ((file: string) => void) | undefined;
  #fallen: string | undefined;
  #held = Date.now();
  #due = false;

  /** `isBare` gives the first file without its mask, there or not. */
  constructor(files: readonly string[], isBare: () => string | undefined) {
    this.#isBare = isBare;
    for (const folder of new Set(files.map((file) => path.dirname(file)))) {
      try {
        watch(folder, { persistent: false }, () => this.#note()).on("error", () => undefined);
      } catch {
        // As many watches as this user may have are in use; the regular look is left.
        return;
      }
    }
  }

  /** The first file without its mask; a mask that has fallen is told of for good. */
  get fallen(): string | undefined {
    const now = Date.now();
    this.#fallen ??= this.#isBare();
    if (this.#fallen === undefined) this.#held = now;
    return this.#fallen;
  }

  /** When all masks were last seen where they belong, in ms since 1970. */
  get held(): number {
    return this.#held;
  }

  /** Calls `stop` with the first file without its mask; gives what ends that. */
  begin(stop: (file: string) => void): () => void {
    this.#stop = stop;
    const timer = setInterval(() => this.#look(), LOOK_MS);
    this.#look();
    return () => {
      clearInterval(timer);
      this.#stop = undefined;
    };
  }

  /** Looks at once, since whoever waits for the file races this, and once more after all events that come together. */
  #note(): void {
    if (this.#due) return;
    this.#due = true;
    this.#look();
    setImmediate(() => {
      this.#due = false;
      this.#look();
    });
  }

  #look(): void {
    if (this.fallen === undefined) return;
    this.#stop?.(this.fallen);
    this.#stop = undefined;
  }
}
