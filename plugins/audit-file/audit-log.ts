import {
  chmodSync,
  closeSync,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { GantryError, type AuditEvent, type Logger } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { afterwards, type Head } from "./head.ts";
import { hashOf, lineOf } from "./record.ts";
import { repaired } from "./repair.ts";
import { removeOld, segmentPath } from "./segments.ts";
import { Token } from "./token.ts";

const sync = promisify(fdatasync);

export interface AuditLogOptions {
  readonly path: string;
  readonly retentionDays: number;
  readonly warn: Logger["warn"];
  /** A file is put away when it is this large. */
  readonly rotateBytes?: number;
  /** The milliseconds to wait for another process. */
  readonly patienceMs?: number;
}

interface Waiting {
  readonly event: AuditEvent;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Appends records to one file that several processes share. Opens nothing before the first record.
 */
export class AuditLog {
  readonly #options: AuditLogOptions;
  readonly #token: Token;
  readonly #rotateBytes: number;
  #file: number | undefined;
  #swept = false;
  #queue: Waiting[] = [];
  #flushing: Promise<void> | undefined;

  constructor(options: AuditLogOptions) {
    this.#options = options;
    this.#token = new Token(options.path, options.patienceMs ?? 10_000);
    this.#rotateBytes = options.rotateBytes ?? 16 * 1024 * 1024;
  }

  /**
   * On disk when it resolves. What arrives while another write runs shares the next one. Throws
   * `AUDIT_FILE_*`.
   */
  write(event: AuditEvent): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ event, resolve, reject });
      this.#flushing ??= this.#flush();
    });
  }

  async close(): Promise<void> {
    await this.#flushing;
    this.#closeFile();
  }

  async #flush(): Promise<void> {
    while (this.#queue.length > 0) {
      const group = this.#queue;
      this.#queue = [];
      try {
        await this.#append(group.map(({ event }) => event));
        for (const { resolve } of group) resolve();
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        const failure =
          error instanceof GantryError
            ? error
            : errors.AUDIT_FILE_FAILED(this.#options.path, code ?? message);
        for (const { reject } of group) reject(failure);
      }
    }
    this.#flushing = undefined;
  }

  async #append(events: readonly AuditEvent[]): Promise<void> {
    const found = await this.#token.take();
    try {
      const { path, warn } = this.#options;
      let head = this.#putAway(repaired(path, found, warn), events[0]!.timestamp.slice(0, 10));
      // Before a new file has a byte: a head of the old file must never be read against the new
      // one.
      if (head.from !== found?.from) this.#token.save(head, true);
      const file = this.#open();
      const { size } = head;
      let text = "";
      for (const event of events) {
        const line = lineOf(event, head.seq + 1, head.hash);
        text += `${line}\n`;
        head = {
          ...head,
          seq: head.seq + 1,
          hash: hashOf(line),
          day: head.day || event.timestamp.slice(0, 10),
        };
      }
      const bytes = Buffer.from(text);
      try {
        writeWhole(file, bytes);
        await sync(file);
      } catch (error) {
        ftruncateSync(file, size);
        throw error;
      }
      this.#token.save({ ...head, size: size + bytes.length });
    } finally {
      await this.#token.release();
    }
  }

  /**
   * Starts a new file for a new day or where the old one is large, and removes files that are too
   * old.
   */
  #putAway(head: Head, day: string): Head {
    const { path, retentionDays } = this.#options;
    let next = head;
    if (head.size > 0 && (day > head.day || head.size >= this.#rotateBytes)) {
      this.#closeFile();
      renameSync(path, segmentPath(path, head.day, head.from));
      syncDirectory(dirname(path));
      next = afterwards(head);
      this.#swept = false;
    }
    if (this.#swept) return next;
    this.#swept = true;
    return removeOld(path, next, retentionDays, Date.now(), (kept) => this.#token.save(kept, true));
  }

  /** Another process may have put the file away meanwhile. */
  #open(): number {
    const { path } = this.#options;
    if (
      this.#file !== undefined &&
      statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(this.#file).ino
    )
      return this.#file;
    this.#closeFile();
    this.#file = openSync(path, "a", 0o600);
    const { size, mode } = fstatSync(this.#file);
    if (mode & 0o077) chmodSync(path, 0o600);
    if (size === 0) syncDirectory(dirname(path));
    return this.#file;
  }

  #closeFile(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

function writeWhole(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
}

/** So that the name of a new file survives a power cut too. */
function syncDirectory(path: string): void {
  const directory = openSync(path, "r");
  fsyncSync(directory);
  closeSync(directory);
}
