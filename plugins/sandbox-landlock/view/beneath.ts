import { closeSync, constants, openSync } from "node:fs";

const { O_DIRECTORY, O_NOFOLLOW } = constants;
const O_PATH = 0x200000;

/**
 * Names for what lies beneath a folder, reached step by step through descriptors and never through
 * a link: nobody can lead elsewhere what is done there, and no path is too long. The folder that
 * was reached last stays open for the next name.
 */
export class Beneath implements Disposable {
  readonly #root: number;
  #last: { readonly at: string; readonly fd: number } | undefined;

  /** Throws if the folder cannot be opened. */
  constructor(root: string) {
    this.#root = openSync(root, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  }

  /**
   * Returns a name for a relative path. Throws ENOENT, and ENOTDIR if a folder on the way is a link
   * or not a folder.
   */
  name(relative: string): string {
    const cut = relative.lastIndexOf("/");
    const fd = this.#folder(cut < 0 ? "" : relative.slice(0, cut));
    return `/proc/self/fd/${fd}/${relative.slice(cut + 1)}`;
  }

  [Symbol.dispose](): void {
    this.#forget();
    closeSync(this.#root);
  }

  /** Forgets what was reached last, which may have been moved. */
  #forget(): void {
    if (this.#last) closeSync(this.#last.fd);
    this.#last = undefined;
  }

  #folder(at: string): number {
    if (at === "") return this.#root;
    if (this.#last?.at === at) return this.#last.fd;
    this.#forget();
    let fd = this.#root;
    try {
      for (const name of at.split("/")) {
        const next = openSync(`/proc/self/fd/${fd}/${name}`, O_PATH | O_DIRECTORY | O_NOFOLLOW);
        if (fd !== this.#root) closeSync(fd);
        fd = next;
      }
    } catch (error) {
      if (fd !== this.#root) closeSync(fd);
      throw error;
    }
    this.#last = { at, fd };
    return fd;
  }
}
