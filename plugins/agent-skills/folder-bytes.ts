import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, readdir, readlink, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { isInside } from "@gantry/sdk/node";
import { errors } from "./errors.ts";

const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const maxEntries = 2_000;
const maxBytes = 32 * 1024 * 1024;

/** A file, folder or link of a skill. */
export interface SkillEntry {
  /** From the skill's folder, with slashes. */
  readonly path: string;
  readonly kind: "file" | "folder" | "link";
  /** Permission bits. */
  readonly mode: number;
  /** Bytes of a file. */
  readonly size: number;
  /** The target of a link, as written. */
  readonly target?: string;
  /** SHA-256 of the bytes of a file, in hexadecimal. */
  readonly digest?: string;
}

/** A skill's folder as it was read once. */
export interface SkillFolder {
  /**
   * SHA-256 over the paths, kinds, modes, link targets and bytes of all entries, in hexadecimal.
   */
  readonly hash: string;
  /** Permission bits of the folder itself. */
  readonly mode: number;
  readonly entries: readonly SkillEntry[];
  /** The bytes of the files that were asked for. */
  readonly kept: ReadonlyMap<string, Buffer>;
}

/**
 * Reads a whole folder that hostile programs may change meanwhile: the bytes that it gives are
 * those that went into the hash. Throws SKILL_UNREADABLE for a link that leads out, for what is
 * neither file, folder nor link, and beyond the bounds.
 * @param wanted - tells the files whose bytes are kept
 */
export async function readSkillFolder(root: string, wanted: (path: string) => boolean): Promise<SkillFolder> {
  const reading = new Reading(root, wanted);
  try {
    await reading.entry("");
  } catch (error) {
    throw errors.SKILL_UNREADABLE(root, (error as Error).message);
  }
  const { mode, entries, kept } = reading;
  return { hash: reading.hash(), mode, entries, kept };
}

class Reading {
  readonly entries: SkillEntry[] = [];
  readonly kept = new Map<string, Buffer>();
  mode = 0;
  readonly #root: string;
  readonly #wanted: (path: string) => boolean;
  readonly #hash = createHash("sha256");
  #bytes = 0;

  constructor(root: string, wanted: (path: string) => boolean) {
    this.#root = root;
    this.#wanted = wanted;
  }

  hash(): string {
    return this.#hash.digest("hex");
  }

  async entry(relative: string): Promise<void> {
    const at = path.join(this.#root, relative);
    const target = await readlink(at).catch(() => undefined);
    if (target !== undefined) return this.#link(relative, target);
    const handle = await open(at, FLAGS);
    try {
      await checkPlace(handle, at);
      const facts = await handle.stat();
      const mode = facts.mode & 0o7777;
      if (facts.isDirectory()) return await this.#folder(relative, mode);
      if (!facts.isFile()) throw new Error(`${at} is neither a file, a folder nor a link`);
      await this.#file(relative, mode, facts.size, handle);
    } finally {
      await handle.close();
    }
  }

  #link(relative: string, target: string): void {
    const leadsTo = path.resolve(this.#root, path.dirname(relative), target);
    if (relative === "" || !isInside(leadsTo, this.#root))
      throw new Error(`${path.join(this.#root, relative)} is a link that leads out of it`);
    this.#add({ path: relative, kind: "link", mode: 0, size: 0, target }, target);
  }

  async #folder(relative: string, mode: number): Promise<void> {
    this.#add({ path: relative, kind: "folder", mode, size: 0 }, "");
    const names = await readdir(path.join(this.#root, relative));
    for (const name of names.toSorted()) await this.entry(relative === "" ? name : `${relative}/${name}`);
  }

  async #file(relative: string, mode: number, size: number, handle: FileHandle): Promise<void> {
    const bytes = Buffer.alloc(Math.min(size, maxBytes - this.#bytes) + 1);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    if (bytesRead === bytes.length) throw new Error("it grows while it is read, or has more than 32 MiB");
    this.#bytes += bytesRead;
    const read = bytes.subarray(0, bytesRead);
    const digest = createHash("sha256").update(read).digest("hex");
    this.#add({ path: relative, kind: "file", mode, size: bytesRead, digest }, digest);
    if (this.#wanted(relative)) this.kept.set(relative, read);
  }

  #add(entry: SkillEntry, content: string): void {
    if (entry.path === "") this.mode = entry.mode;
    else this.entries.push(entry);
    if (this.entries.length > maxEntries) throw new Error(`it has more than ${maxEntries} files`);
    this.#hash.update(`${JSON.stringify([entry.path, entry.kind, entry.mode, content])}\n`);
  }
}

/** A folder on the way may have become a link. */
async function checkPlace({ fd }: FileHandle, at: string): Promise<void> {
  const place = await readlink(`/proc/self/fd/${fd}`).catch(() => at);
  if (place !== at) throw new Error(`${at} lies elsewhere`);
}
