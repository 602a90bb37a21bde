import { lstatSync, watch } from "node:fs";
import path from "node:path";

/** What no event tells of, such as a folder that was replaced, is seen as late as this. */
const LOOK_MS = 50;

/**
 * Tells when a mask has fallen off a secret file. Nothing in a run can do that; somebody outside who saves the file anew, as
 * editors do, can, since the mask lies over the old one. Tells too when something turns up beside it that programs write
 * before they save. Begins before the walls stand, which forbid new watches.
 */
export class MaskWatch {
  readonly #isBare: () => string | undefined;
  readonly #isCopy: (file: string) => boolean;
  #stop: ((file: string) => void) | undefined;
  #fallen: string | undefined;
  #held = Date.now();
  #due = false;

  /** `isBare` gives the first file without its mask, there or not; `isCopy` is true for the name of what is written first. */
  constructor(files: readonly string[], isBare: () => string | undefined, isCopy: (file: string) => boolean) {
    this.#isBare = isBare;
    this.#isCopy = isCopy;
    for (const folder of new Set(files.map((file) => path.dirname(file)))) {
      try {
        watch(folder, { persistent: false }, (_, name) =>
          this.#note(name === null ? undefined : path.join(folder, name)),
        ).on("error", () => undefined);
      } catch {
        // As many watches as this user may have are in use; the regular look is left.
        return;
      }
    }
  }

  /** The first file without its mask; a mask that has fallen is told of for good. */
  get fallen(): string | undefined {
    return (this.#fallen ??= this.#isBare());
  }

  /** When all masks were last seen where they belong, in ms since 1970. */
  get held(): number {
    return this.#held;
  }

  /** Calls `stop` with the first file without its mask; gives what ends that. */
  begin(stop: (file: string) => void): () => void {
    this.#stop = stop;
    // What was told before a time is heard before a look with that time.
    const look = (at: number): void => this.#look(at);
    const timer = setInterval(() => setImmediate(look, Date.now()), LOOK_MS);
    look(Date.now());
    return () => {
      clearInterval(timer);
      this.#stop = undefined;
    };
  }

  /** Looks at once, since whoever waits for the file races this, and once more after all events that come together. */
  #note(file: string | undefined): void {
    if (file !== undefined && this.#isCopy(file) && !isOther(file)) this.#fallen ??= file;
    if (this.#due) return;
    this.#due = true;
    this.#look();
    setImmediate(() => {
      this.#due = false;
      this.#look();
    });
  }

  #look(at = this.#held): void {
    if (this.fallen === undefined) {
      this.#held = at;
      return;
    }
    this.#stop?.(this.fallen);
    this.#stop = undefined;
  }
}

/** True for a folder or a link, such as editors leave beside what they have open; what has gone may have been a file. */
function isOther(at: string): boolean {
  return lstatSync(at, { throwIfNoEntry: false })?.isFile() === false;
}
