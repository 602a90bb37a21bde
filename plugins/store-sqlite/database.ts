import { closeSync, fdatasync, openSync, statSync } from "node:fs";
import { promisify } from "node:util";
import { errors as shared, GantryError } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { openFile, type HeldBy } from "./open.ts";
import { prune, PRUNE_EVERY_MS, type PruneOptions } from "./prune.ts";
import type { Sql } from "./sql.ts";

const sync = promisify(fdatasync);
const SEE_MS = 500;

interface Waiting {
  readonly work: (sql: Sql) => unknown;
  /** True if it waits for the disk too. */
  readonly synced: boolean;
  readonly resolve: (value: any) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One file, opened on first use, and the three ways to use it. All throw `STORE_FAILED`,
 * `STORE_REFUSED`, `STORE_NEWER`, `STORE_HELD` or `STORE_DAMAGED`.
 */
export class Database {
  readonly path: string;
  readonly #pruning: PruneOptions;
  readonly #heldBy: HeldBy | undefined;
  #opened: Promise<Sql> | undefined;
  #log: number | undefined;
  #queue: Waiting[] = [];
  #writing: Promise<void> | undefined;
  readonly #written: { readonly group: readonly Waiting[]; readonly settle: readonly (() => void)[] }[] = [];
  #syncing: Promise<void> | undefined;
  #pruneAt = 0;
  #closed = false;
  #ino: number | undefined;
  #seenAt = Number.NEGATIVE_INFINITY;

  constructor(path: string, pruning: PruneOptions = {}, heldBy?: HeldBy) {
    this.path = path;
    this.#pruning = pruning;
    this.#heldBy = heldBy;
  }

  async read<T>(work: (sql: Sql) => T): Promise<T> {
    const sql = await this.#open();
    return this.#guarded(() => work(sql));
  }

  /**
   * Written when it resolves: survives the death of the process, while the last few may be lost
   * when the machine loses power. What arrives in one tick shares a transaction.
   */
  write<T>(work: (sql: Sql) => T): Promise<T> {
    return this.#queued(work, false);
  }

  /** On disk when it resolves. What is written while a sync runs shares the next sync. */
  commit<T>(work: (sql: Sql) => T): Promise<T> {
    return this.#queued(work, true);
  }

  /**
   * The same, written at once, ahead of all other work of the process; what is queued already goes
   * along.
   */
  commitNow<T>(work: (sql: Sql) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, synced: true, resolve, reject });
      void this.#writeQueued();
    });
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#syncing;
    this.#closed = true;
    const opened = this.#opened;
    this.#opened = undefined;
    if (this.#log !== undefined) closeSync(this.#log);
    this.#log = undefined;
    await opened?.then(
      (sql) => sql.close(),
      () => undefined,
    );
  }

  #queued<T>(work: (sql: Sql) => T, synced: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, synced, resolve, reject });
      this.#writing ??= this.#write();
    });
  }

  async #write(): Promise<void> {
    while (this.#queue.length > 0) {
      await new Promise(setImmediate);
      await this.#writeQueued();
    }
    this.#writing = undefined;
  }

  /**
   * Also while a sync runs: what is written survives the death of the process, and that must not
   * wait for a slow disk.
   */
  async #writeQueued(): Promise<void> {
    const group = this.#queue;
    if (group.length === 0) return;
    this.#queue = [];
    try {
      const sql = await this.#open();
      this.#seeFile();
      const settle = this.#guarded(() => this.#together(sql, group));
      for (const [i, answer] of settle.entries()) if (!group[i]?.synced) answer();
      const synced = group.filter((one) => one.synced);
      if (synced.length === 0) return;
      this.#written.push({ group: synced, settle: settle.filter((_, i) => group[i]?.synced) });
      this.#syncing ??= this.#syncWritten();
    } catch (error) {
      this.#fail(group, error);
    }
  }

  async #syncWritten(): Promise<void> {
    while (this.#written.length > 0) {
      const groups = this.#written.splice(0);
      try {
        await this.#sync();
        for (const answer of groups.flatMap(({ settle }) => settle)) answer();
      } catch (error) {
        // Writes of the meantime went into the same file.
        for (const { group } of [...groups, ...this.#written.splice(0)]) this.#fail(group, error);
      }
    }
    this.#syncing = undefined;
  }

  #fail(group: readonly Waiting[], error: unknown): void {
    for (const { reject } of group) reject(this.#failure(error));
  }

  /** All in one transaction; where one fails, each in its own, so that it fails alone. */
  #together(sql: Sql, group: readonly Waiting[]): (() => void)[] {
    try {
      return sql.transaction(() => {
        this.#prune(sql);
        return group.map(({ work, resolve }) => {
          const value = work(sql);
          return () => resolve(value);
        });
      });
    } catch (error) {
      if (group.length === 1) throw error;
      return group.map((one) => {
        try {
          return this.#together(sql, [one])[0]!;
        } catch (alone) {
          return () => one.reject(this.#failure(alone));
        }
      });
    }
  }

  /**
   * Waits for the disk, off the main thread: SQLite has written the log without waiting. After a
   * failed sync nobody knows what the disk holds, so the file is opened again.
   */
  async #sync(): Promise<void> {
    this.#log ??= openSync(`${this.path}-wal`, "r");
    try {
      await sync(this.#log);
    } catch (error) {
      const sql = await this.#opened;
      this.#opened = undefined;
      closeSync(this.#log);
      this.#log = undefined;
      sql?.close();
      throw error;
    }
  }

  /**
   * Writes into a file that was removed, or that another one replaced, are gone with this process.
   */
  #seeFile(): void {
    const now = performance.now();
    if (now - this.#seenAt < SEE_MS) return;
    const ino = statSync(this.path, { throwIfNoEntry: false })?.ino;
    if (ino !== this.#ino && this.#ino !== undefined) throw errors.STORE_REMOVED(this.path);
    this.#ino = ino;
    this.#seenAt = now;
  }

  #prune(sql: Sql): void {
    const now = Date.now();
    if (now < this.#pruneAt) return;
    this.#pruneAt = now + (prune(sql, now, this.#pruning) ? 1000 : PRUNE_EVERY_MS);
  }

  async #open(): Promise<Sql> {
    if (this.#closed) throw shared.STORE_FAILED(this.path, "it was closed and is still in use");
    this.#opened ??= openFile(this.path, undefined, this.#heldBy).catch((error: unknown) => {
      this.#opened = undefined;
      throw this.#failure(error);
    });
    return this.#opened;
  }

  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.#failure(error);
    }
  }

  #failure(error: unknown): unknown {
    if (error instanceof GantryError) return error;
    const { message, errcode, code } = error as { message: string; errcode?: number; code?: string };
    const primary = (errcode ?? 0) & 0xff;
    if (primary === SQLITE_CORRUPT || primary === SQLITE_NOTADB)
      return errors.STORE_DAMAGED(this.path, message);
    if (REFUSED.has(primary) || error instanceof TypeError) return shared.STORE_REFUSED(this.path, message);
    return shared.STORE_FAILED(this.path, errcode === undefined ? (code ?? message) : message);
  }
}

const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;
/** TOOBIG, CONSTRAINT, MISMATCH and RANGE speak of the value, not of the file. */
const REFUSED: ReadonlySet<number> = new Set([18, 19, 20, 25]);
