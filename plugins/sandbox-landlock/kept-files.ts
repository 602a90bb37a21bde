import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { isPlainRepository } from "./plain-repository.ts";

/** What of one file is remembered, and of all together. */
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_BYTES = 16 * MAX_FILE_BYTES;

interface Kept {
  /** Tells whether it has to be read again. */
  readonly mark: string;
  readonly mode: number;
  /** What it held, or where it leads; undefined where that is too much to remember. */
  readonly content: Buffer | string | undefined;
}

/** The guarded files of a workspace as they were, to be put back where a run changed them after all. */
export class KeptFiles {
  readonly #root: string;
  #kept = new Map<string, Kept>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Remembers what stands at these paths, and beneath them. */
  remember(paths: readonly string[]): void {
    const now = new Map<string, Kept>();
    let room = MAX_BYTES;
    for (const file of this.#filesAt(paths)) {
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

  /** Puts back what differs at these paths now; gives the names of what it put back or took away. */
  restore(paths: readonly string[], newToo: boolean): readonly string[] {
    const undone: string[] = [];
    const added = this.#filesAt(paths).filter((file) => !this.#kept.has(file));
    for (const file of newToo ? added : []) {
      if (isPlainRepository(file, this.#at(file))) continue;
      this.#attempt(() => rmSync(this.#at(file), { recursive: true, force: true }));
      undone.push(file);
    }
    for (const [file, kept] of this.#kept) {
      if (this.#isSame(file, kept)) continue;
      this.#put(file, kept);
      undone.push(file);
    }
    return undone;
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
      const mark = `${about.dev}:${about.ino}:${about.ctimeNs}:${about.size}`;
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
    this.#attempt(() => {
      rmSync(at, { recursive: true, force: true });
      mkdirSync(path.dirname(at), { recursive: true });
      if (typeof content === "string") return symlinkSync(content, at);
      if (content === undefined) return;
      writeFileSync(at, content, { flag: "wx", mode: 0o600 });
      chmodSync(at, mode);
    });
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
