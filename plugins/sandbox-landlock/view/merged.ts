import { type BigIntStats, lstatSync, readlinkSync } from "node:fs";
import path from "node:path";
import { plainFileStart } from "../../shared/plain-file.ts";
import type { Left } from "./upper.ts";

const MAX_LINKS = 40;

/** The workspace as a run left it: its layer over what is there. Paths are relative to it. */
export class Merged {
  readonly #workspace: string;
  readonly #upper: string;
  readonly #left = new Map<string, Left>();

  constructor(workspace: string, upper: string, left: readonly Left[]) {
    this.#workspace = workspace;
    this.#upper = upper;
    const add = (one: Left): void => {
      this.#left.set(one.at, one);
      one.children.forEach(add);
    };
    left.forEach(add);
  }

  /**
   * Finds a file by its path, with its full name; undefined if nothing is there. Links are not
   * followed, at the end or on the way.
   */
  find(at: string): { readonly file: string; readonly about: BigIntStats } | undefined {
    if (at === "") return { file: this.#workspace, about: lstatSync(this.#workspace, { bigint: true }) };
    const names = at.split("/");
    for (let depth = 1; depth <= names.length; depth++) {
      const one = this.#left.get(names.slice(0, depth).join("/"));
      if (one?.kind === "gone") return undefined;
      if (depth === names.length && one) return { file: path.join(this.#upper, at), about: one.about };
      if (one && (one.kind !== "folder" || one.notes.includes("opaque")))
        return one.kind === "folder" ? this.#within(at) : undefined;
      if (!one) break;
    }
    return this.#below(at);
  }

  has(at: string): boolean {
    return this.find(at) !== undefined;
  }

  /** Returns the workspace as it is without the layer. */
  below(): Merged {
    return new Merged(this.#workspace, this.#upper, []);
  }

  /** Returns the beginning of a plain file; undefined if there is no such file. */
  text(at: string, maxBytes: number): string | undefined {
    const found = this.find(at);
    return found?.about.isFile() ? plainFileStart(found.file, maxBytes) : undefined;
  }

  /**
   * Returns true if a link leads out of the workspace and not into one of `open`, by whatever links
   * it goes, and also if that cannot be told.
   */
  leadsOut(at: string, target: string, open: (full: string) => boolean): boolean {
    let left = MAX_LINKS;
    const follow = (from: string, to: string): string | undefined => {
      let here = to.startsWith("/") ? "/" : path.join(this.#workspace, from);
      for (const name of to.split("/").filter((one) => one !== "" && one !== ".")) {
        const next = path.join(here, name);
        const inside = this.#relative(next);
        const found = name === ".." || inside === undefined ? undefined : this.find(inside);
        if (!found?.about.isSymbolicLink()) {
          here = next;
          continue;
        }
        if (left-- === 0) return undefined;
        const led = follow(this.#relative(here) ?? "", readlinkSync(found.file));
        if (led === undefined) return undefined;
        here = led;
      }
      return here;
    };
    const end = follow(path.dirname(at), target);
    return end === undefined || (this.#relative(end) === undefined && !open(end));
  }

  /** Finds a file beneath an opaque folder, where only the layer counts. */
  #within(at: string): ReturnType<Merged["find"]> {
    const one = this.#left.get(at);
    return one && one.kind !== "gone" ? { file: path.join(this.#upper, at), about: one.about } : undefined;
  }

  #below(at: string): ReturnType<Merged["find"]> {
    let file = this.#workspace;
    let about: BigIntStats | undefined;
    for (const name of at.split("/")) {
      if (about && !about.isDirectory()) return undefined;
      file = path.join(file, name);
      about = lstatSync(file, { bigint: true, throwIfNoEntry: false });
      if (!about) return undefined;
    }
    return { file, about: about! };
  }

  #relative(full: string): string | undefined {
    if (full === this.#workspace) return "";
    const relative = path.relative(this.#workspace, full);
    return relative.startsWith("../") || relative === ".." ? undefined : relative;
  }
}
