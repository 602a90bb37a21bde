import { readdirSync } from "node:fs";
import path from "node:path";
import { type KeptFile, isKept, isSetAside, keepFile, markAt, putFile, setAside } from "./kept-file.ts";
import { MAX_KEPT_BYTES, MAX_TOLD_BYTES } from "../bounds.ts";
import { aboutPath } from "./about-path.ts";
import { isPlainRepository } from "./plain-repository.ts";

/** What a process says was guarded in a workspace before its first run. */
export interface Told {
  /** What stood at the paths themselves. */
  readonly held: readonly (readonly [path: string, identity: string])[];
  /** Contents as base64; where a link leads as `link`. */
  readonly kept: readonly {
    readonly file: string;
    readonly mark: string;
    readonly mode: number;
    readonly base64?: string;
    readonly link?: string;
  }[];
}

/** What was guarded in a workspace before a run, kept outside of the process that started it, which may be lost. */
export interface Before extends Told {
  /** True where the kernel let no run change what was there; the service knows that by itself. */
  readonly wasHeld: boolean;
}

/** The clock of a file system is behind by less than this. */
const SETTLED_MS = 50;

/** The guarded files of a workspace as they were, to tell and undo what a run did to them after all. Deletes nothing. */
export class KeptFiles {
  readonly #root: string;
  #kept = new Map<string, KeptFile>();
  /** What stood at the paths themselves. */
  #held = new Map<string, string>();
  /** What may be the work of another run, which sees to it; left as long as it is the same, and never put back. */
  readonly #doubtful = new Map<string, string>();
  #began = 0;

  constructor(root: string) {
    this.#root = root;
  }

  /** Remembers what stands at these paths, and beneath them; without what may be the work of a run that began at `others`. */
  remember(paths: readonly string[], others = Infinity): void {
    const now = new Map<string, KeptFile>();
    let room = MAX_KEPT_BYTES;
    this.#began = Date.now();
    this.#doubtful.clear();
    this.#held = new Map(paths.map((at) => [at, this.#identity(at)]));
    for (const file of this.#filesAt(paths)) {
      if (!this.#isOlder(file, others)) {
        this.#doubtful.set(file, markAt(this.#at(file)));
        continue;
      }
      const kept = keepFile(this.#at(file), this.#kept.get(file), room);
      if (!kept) continue;
      now.set(file, kept);
      room -= kept.content?.length ?? 0;
    }
    this.#kept = now;
  }

  /** What is remembered; what is never put back is left out. `wasHeld`: `held` of {@link putBack}. */
  told(wasHeld: boolean): Told {
    let room = MAX_TOLD_BYTES;
    const fits = (entry: unknown): boolean => (room -= Buffer.byteLength(JSON.stringify(entry)) + 16) > 0;
    const kept = this.#putBackAll(wasHeld).flatMap(([file, { mark, mode, content }]) => {
      const one = { file, mark, mode, ...(typeof content === "string" && { link: content }) };
      const base64 = Buffer.isBuffer(content) && { base64: content.toString("base64") };
      return fits(one) ? [{ ...one, ...base64 }] : [];
    });
    return { held: [...this.#held].filter(fits), kept };
  }

  /** True where what was told is still so; what may be the work of another run is seen to by that. */
  isAsTold({ held, kept }: Told, wasHeld: boolean): boolean {
    const [paths, marks] = [new Map(held), new Map(kept.map(({ file, mark }) => [file, mark]))];
    return (
      (!wasHeld || [...this.#held].every(([at, identity]) => paths.get(at) === identity)) &&
      this.#putBackAll(wasHeld).every(([file, { mark }]) => marks.get(file) === mark) &&
      kept.every(({ file, mark }) => [this.#kept.get(file)?.mark, this.#doubtful.get(file)].includes(mark))
    );
  }

  /** Remembers what another process did before a run that began then, in ms since 1970. */
  restore({ held, kept }: Before, began: number): void {
    this.#began = began;
    this.#doubtful.clear();
    this.#held = new Map(held);
    this.#kept = new Map(
      kept.map(({ file, mark, mode, base64, link }) => {
        const content = base64 === undefined ? link : Buffer.from(base64, "base64");
        return [file, { mark, mode, content }];
      }),
    );
  }

  /** The contents of what is remembered, as text. */
  texts(): readonly (readonly [file: string, text: string])[] {
    return [...this.#kept].flatMap(([file, { content }]) =>
      Buffer.isBuffer(content) ? [[file, content.toString("utf8")] as const] : [],
    );
  }

  /**
   * Renames, at these paths, what was not remembered and a run can have made; nothing is lost. `held`: the kernel let no run
   * change what was there, so that what changed there was changed from outside, and stays. A phrase for each.
   */
  setAside(paths: readonly string[], held: boolean): readonly string[] {
    const loose = held ? paths.filter((at) => this.#held.get(at) !== this.#identity(at)) : paths;
    return this.#filesAt(loose)
      .filter((file) => !this.#isSpared(file, held))
      .map((file) => setAside(this.#at(file), file));
  }

  /**
   * Puts back what differs from what is remembered; what stood there instead is kept beside it. `held`: the kernel held the
   * rest, and only links are put back, over which no mask lies. `isOthers`: true for what is put back by others. A phrase for
   * each.
   */
  putBack(held: boolean, isOthers: (file: string) => boolean = () => false): readonly string[] {
    const changed = this.#putBackAll(held).filter(
      ([file, kept]) => !isOthers(file) && !isKept(this.#at(file), kept),
    );
    return changed.map(([file, kept]) => {
      const phrase = setAside(this.#at(file), file);
      putFile(this.#at(file), kept);
      return phrase;
    });
  }

  #isSpared(file: string, held: boolean): boolean {
    if (this.#doubtful.has(file) && this.#doubtful.get(file) === markAt(this.#at(file))) return true;
    const kept = this.#kept.get(file);
    if (kept && (this.#isPutBack(file, kept, held) || isKept(this.#at(file), kept))) return true;
    const before = Buffer.isBuffer(kept?.content) ? kept.content.toString("utf8") : "";
    return (
      this.#isOlder(file, this.#began - SETTLED_MS) ||
      isSetAside(this.#at(file)) ||
      isPlainRepository(this.#root, file, before)
    );
  }

  #putBackAll(held: boolean): readonly (readonly [file: string, kept: KeptFile])[] {
    return [...this.#kept].filter(([file, kept]) => this.#isPutBack(file, kept, held));
  }

  #isPutBack(file: string, { content }: KeptFile, held: boolean): boolean {
    return !held || (typeof content === "string" && this.#held.has(file));
  }

  /** True where neither a file nor a folder around it changed since then, so that it was there. */
  #isOlder(file: string, time: number): boolean {
    for (let at = file; at !== "."; at = path.dirname(at)) {
      if (Number(aboutPath(this.#at(at))?.ctimeMs ?? 0) > time) return false;
    }
    return true;
  }

  /** A link and what the kernel lays over a path fit as long as this does. */
  #identity(at: string): string {
    const about = aboutPath(this.#at(at));
    if (!about) return "";
    return [about.ino, about.birthtimeNs, about.isSymbolicLink() ? about.ctimeNs : ""].join(":");
  }

  #filesAt(paths: readonly string[]): readonly string[] {
    return paths.flatMap((at) => {
      const about = aboutPath(this.#at(at));
      if (!about?.isDirectory()) return about ? [at] : [];
      try {
        return this.#filesAt(readdirSync(this.#at(at)).map((name) => path.join(at, name)));
      } catch {
        return [];
      }
    });
  }

  #at(file: string): string {
    return path.join(this.#root, file);
  }
}
