import { createHash, randomBytes } from "node:crypto";
import { open, readFile, readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { FileReplaced } from "@gantry/sdk/fill";
import { makeDir, replaceFile } from "@gantry/sdk/node";

/** The bound of one file; a larger one is only told of. */
export const MAX_KEPT_BYTES = 8 * 1024 * 1024;
const MAX_CHANGES = 1_000;
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;
/** A header is read whole: paths are at most 4,096 signs, escaped. */
const HEADER_BYTES = 65_536;
const ENDING = ".change";

/** One change that a tool made to a file. */
export interface Change {
  readonly session: string;
  readonly user: string;
  /** Under whose name its turn worked. */
  readonly agent?: string | undefined;
  readonly tool: string;
  readonly path: string;
  /** ISO 8601. */
  readonly at: string;
  /** The content before: nothing, bytes that are kept, or bytes that are not. */
  readonly before: "nothing" | "kept" | "too large";
  /** SHA-256 (hex) of what the tool wrote. */
  readonly after: string;
}

export interface KeptChange extends Change {
  /** The name under which it is kept. */
  readonly id: string;
}

export function digestOf(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

/**
 * The old bytes of what tools wrote, a file for each change: a line of JSON, then the bytes.
 * Bounded by size, number and age; the oldest make room.
 */
export class Journal {
  readonly #folder: string;
  readonly #maxBytes: number;
  #last = 0;

  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  get on(): boolean {
    return this.#maxBytes > 0;
  }

  /** Old bytes beyond this are not kept. */
  get maxBytes(): number {
    return Math.min(MAX_KEPT_BYTES, this.#maxBytes);
  }

  async #keep(change: Change, before: Uint8Array | undefined): Promise<void> {
    if (!this.on) return;
    makeDir(this.#folder);
    const header = Buffer.from(`${JSON.stringify(change)}\n`);
    await replaceFile(path.join(this.#folder, this.#nextId()), [header, before ?? new Uint8Array()]);
    await this.#prune();
  }

  /**
   * Keeps what a tool has just replaced. The change has been made by then: a failure is told, in
   * words for the model.
   */
  async keepWritten(
    who: Pick<Change, "session" | "user" | "agent" | "tool" | "path">,
    { existed, before }: FileReplaced,
    after: string | Uint8Array,
  ): Promise<string> {
    const kept = before !== undefined && before.length <= this.maxBytes;
    const change: Change = {
      ...who,
      at: new Date().toISOString(),
      before: kept ? "kept" : existed ? "too large" : "nothing",
      after: digestOf(after),
    };
    try {
      await this.#keep(change, kept ? before : undefined);
      return "";
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return ` What stood there before could not be kept for an undo (${code ?? String(error)}).`;
    }
  }

  /** Newest first. */
  async list(): Promise<readonly KeptChange[]> {
    const ids = (await this.#names()).filter((name) => name.endsWith(ENDING)).toReversed();
    const changes = await Promise.all(ids.map((id) => this.#header(id)));
    return changes.flatMap((change) => change ?? []);
  }

  async before(id: string): Promise<Uint8Array> {
    const data = await readFile(path.join(this.#folder, id));
    return data.subarray(data.indexOf("\n") + 1);
  }

  async drop(id: string): Promise<void> {
    await rm(path.join(this.#folder, id), { force: true });
  }

  /** Sorts by time, and by order within a millisecond. */
  #nextId(): string {
    this.#last = Math.max(Date.now() * 1_000, this.#last + 1);
    return `${String(this.#last).padStart(17, "0")}-${randomBytes(4).toString("hex")}${ENDING}`;
  }

  async #names(): Promise<readonly string[]> {
    const names = await readdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw error;
    });
    return names.toSorted();
  }

  /** Undefined for what another process has just removed, or what is not whole. */
  async #header(id: string): Promise<KeptChange | undefined> {
    try {
      const file = await open(path.join(this.#folder, id));
      const { buffer, bytesRead } = await file
        .read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0)
        .finally(() => file.close());
      const line = buffer.subarray(0, Math.max(0, buffer.subarray(0, bytesRead).indexOf("\n")));
      return { ...(JSON.parse(line.toString()) as Change), id };
    } catch {
      return undefined;
    }
  }

  /** Keeps the newest as far as they fit; another process may do the same meanwhile. */
  async #prune(): Promise<void> {
    const names = (await this.#names()).toReversed();
    const oldest = Date.now() - MAX_AGE_MS;
    let [bytes, changes] = [0, 0];
    for (const name of names) {
      const file = path.join(this.#folder, name);
      const about = await stat(file).catch(() => undefined);
      if (!about) continue;
      bytes += about.size;
      changes++;
      if (bytes > this.#maxBytes || changes > MAX_CHANGES || about.mtimeMs < oldest)
        await rm(file, { force: true });
    }
  }
}
