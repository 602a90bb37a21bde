import { randomBytes } from "node:crypto";
import {
  type BigIntStats,
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { isPlainRepository } from "./plain-repository.ts";

/** What of one file is remembered, and of all together. */
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_BYTES = 16 * MAX_FILE_BYTES;
/** The clock of a file system is behind by less than this. */
const SETTLED_MS = 50;
/** The names of what was set aside. */
const ASIDE = /\.taken-[\da-f]{12}$/;

interface Kept {
  /** Tells whether it has to be read again. */
  readonly mark: string;
  readonly mode: number;
  /** What it held, or where it leads; undefined where that is too much to remember. */
  readonly content: Buffer | string | undefined;
}

/** The guarded files of a workspace as they were, to tell and undo what a run did to them after all. Deletes nothing. */
export class KeptFiles {
  readonly #root: string;
  #kept = new Map<string, Kept>();
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
    const now = new Map<string, Kept>();
    let room = MAX_BYTES;
    this.#began = Date.now();
    this.#doubtful.clear();
    this.#held = new Map(paths.map((at) => [at, this.#identity(at)]));
    for (const file of this.#filesAt(paths)) {
      if (!this.#isOlder(file, others)) {
        this.#doubtful.set(file, this.#mark(file));
        continue;
      }
      const kept = this.#look(file, this.#kept.get(file), room);
      if (!kept) continue;
      now.set(file, kept);
      room -= kept.content?.length ?? 0;
    }
    this.#kept = now;
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
      .map((file) => this.#rename(file));
  }

  /** Puts back what differs from what is remembered; what stood there instead is kept beside it. A phrase for each. */
  putBack(): readonly string[] {
    const changed = [...this.#kept].filter(([file, kept]) => !this.#isSame(file, kept));
    return changed.map(([file, kept]) => {
      const phrase = this.#rename(file);
      this.#attempt(() => this.#put(file, kept));
      return phrase;
    });
  }

  #isSpared(file: string, held: boolean): boolean {
    if (this.#doubtful.has(file) && this.#doubtful.get(file) === this.#mark(file)) return true;
    const kept = this.#kept.get(file);
    if (kept && (!held || this.#isSame(file, kept))) return true;
    const before = Buffer.isBuffer(kept?.content) ? kept.content.toString("utf8") : "";
    return (
      this.#isOlder(file, this.#began - SETTLED_MS) ||
      this.#isAside(file) ||
      isPlainRepository(this.#root, file, before)
    );
  }

  /** True where neither a file nor a folder around it changed since then, so that it was there. */
  #isOlder(file: string, time: number): boolean {
    for (let at = file; at !== "."; at = path.dirname(at)) {
      if ((lstatSync(this.#at(at), { throwIfNoEntry: false })?.ctimeMs ?? 0) > time) return false;
    }
    return true;
  }

  /** A link and what the kernel lays over a path fit as long as this does. */
  #identity(at: string): string {
    const about = lstatSync(this.#at(at), { throwIfNoEntry: false });
    if (!about) return "";
    return [about.dev, about.ino, about.isSymbolicLink() ? about.ctimeMs : ""].join(":");
  }

  #mark(file: string): string {
    const about = lstatSync(this.#at(file), { bigint: true, throwIfNoEntry: false });
    return about ? markOf(about) : "";
  }

  #isAside(file: string): boolean {
    const about = lstatSync(this.#at(file), { throwIfNoEntry: false });
    const closed = about?.isSymbolicLink() || (about && (about.mode & 0o777) === 0);
    return ASIDE.test(file) && closed === true;
  }

  /** Within its folder, since what is mounted around it allows no other; closed, so that nothing takes it up there. */
  #rename(file: string): string {
    const [from, to] = [this.#at(file), `${this.#at(file)}.taken-${randomBytes(6).toString("hex")}`];
    const about = lstatSync(from, { throwIfNoEntry: false });
    const what = `undone: a change of ${file}`;
    if (!about) return what;
    try {
      openFolder(path.dirname(from));
      renameSync(from, to);
      if (!about.isSymbolicLink()) chmodSync(to, 0);
      return `${what}, set aside as ${path.basename(to)}`;
    } catch (error) {
      return `NOT undone: a change of ${file} (${(error as NodeJS.ErrnoException).code})`;
    }
  }

  #filesAt(paths: readonly string[]): readonly string[] {
    return paths.flatMap((at) => {
      const about = lstatSync(this.#at(at), { throwIfNoEntry: false });
      if (!about?.isDirectory()) return about ? [at] : [];
      try {
        return this.#filesAt(readdirSync(this.#at(at)).map((name) => path.join(at, name)));
      } catch {
        return [];
      }
    });
  }

  #look(file: string, before: Kept | undefined, room: number): Kept | undefined {
    try {
      const about = lstatSync(this.#at(file), { bigint: true });
      const mark = markOf(about);
      const mode = Number(about.mode & 0o7777n);
      if (before?.mark === mark) return before;
      if (about.isSymbolicLink()) return { mark, mode, content: readlinkSync(this.#at(file)) };
      const small = about.isFile() && about.size <= Math.min(MAX_FILE_BYTES, room);
      return { mark, mode, content: small ? readFileSync(this.#at(file)) : undefined };
    } catch {
      return undefined;
    }
  }

  #isSame(file: string, kept: Kept): boolean {
    const now = this.#look(file, kept, MAX_BYTES);
    if (!now || now === kept) return now === kept;
    if (now.mode !== kept.mode || now.content === undefined || kept.content === undefined) return false;
    return (
      Buffer.from(now.content).equals(Buffer.from(kept.content)) && typeof now.content === typeof kept.content
    );
  }

  #put(file: string, { mode, content }: Kept): void {
    const at = this.#at(file);
    mkdirSync(path.dirname(at), { recursive: true });
    if (typeof content === "string") return symlinkSync(content, at);
    if (content === undefined) return;
    writeFileSync(at, content, { flag: "wx", mode: 0o600 });
    chmodSync(at, mode);
  }

  /** What cannot be put back is named all the same. */
  #attempt(work: () => void): void {
    try {
      work();
    } catch {
      // The kernel held it, or something stands in its way.
    }
  }

  #at(file: string): string {
    return path.join(this.#root, file);
  }
}

function markOf({ dev, ino, ctimeNs, size }: BigIntStats): string {
  return `${dev}:${ino}:${ctimeNs}:${size}`;
}

/** A run may have closed the folder around what it made. */
function openFolder(folder: string): void {
  const mode = lstatSync(folder).mode & 0o7777;
  if ((mode & 0o300) !== 0o300) chmodSync(folder, mode | 0o300);
}
