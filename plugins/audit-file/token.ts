import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { newProcessName, processLives } from "@gantry/sdk/node";
import { errors } from "./errors.ts";
import { decodeHead, encodeHead, type Head } from "./head.ts";

const POLL_MS = 1;
/** The time for which a process that goes on writing stands back for one that waits. */
const YIELD_MS = 5;

/**
 * The right to append, and the head of the chain, are one file in a directory of its own: `head`
 * while it is free, `head.<holder>` while somebody has it. It only ever changes hands by renaming
 * from the one name that was seen, so of several takers one succeeds, also when they take it from a
 * process that died.
 */
export class Token {
  readonly #log: string;
  readonly #dir: string;
  readonly #holder = newProcessName();
  readonly #patienceMs: number;

  constructor(log: string, patienceMs: number) {
    this.#log = log;
    this.#dir = chainDirectory(log);
    this.#patienceMs = patienceMs;
  }

  /**
   * Waits for its turn; returns the head, or undefined if none could be read. Throws
   * `AUDIT_FILE_BUSY`.
   */
  async take(): Promise<Head | undefined> {
    if (!this.#tryTake()) await this.#wait();
    return decodeHead(readFileSync(this.#mine, "utf8"));
  }

  /** With `flush` it outlives a power cut too. */
  save(head: Head, flush = false): void {
    writeFileSync(this.#mine, encodeHead(head), { flag: "r+", flush });
  }

  /** Gives it back, and stands back a moment where another process waits. */
  async release(): Promise<void> {
    renameSync(this.#mine, join(this.#dir, "head"));
    const waiting = this.#names("want.").filter((holder) => {
      if (!processLives(holder)) rmSync(join(this.#dir, `want.${holder}`), { force: true });
      return holder !== this.#holder;
    });
    if (waiting.length > 0) await sleep(YIELD_MS);
  }

  get #mine(): string {
    return join(this.#dir, `head.${this.#holder}`);
  }

  async #wait(): Promise<void> {
    const want = join(this.#dir, `want.${this.#holder}`);
    const until = Date.now() + this.#patienceMs;
    writeFileSync(want, "", { mode: 0o600 });
    try {
      while (!this.#tryTake()) {
        if (Date.now() > until)
          throw errors.AUDIT_FILE_BUSY(
            this.#log,
            this.#names("head.").join(", ") || "unknown",
            this.#patienceMs / 1000,
          );
        await sleep(POLL_MS);
      }
    } finally {
      unlinkSync(want);
    }
  }

  #tryTake(): boolean {
    if (this.#rename("head")) return true;
    const names = this.#names("");
    if (!names.some((name) => name.startsWith("head"))) this.#make();
    return names
      .filter((name) => name.startsWith("head."))
      .map((name) => name.slice("head.".length))
      .some((holder) => holder === this.#holder || (!processLives(holder) && this.#rename(`head.${holder}`)));
  }

  #rename(from: string): boolean {
    try {
      renameSync(join(this.#dir, from), this.#mine);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
      throw error;
    }
  }

  /** Appears whole or not at all: a directory is renamed only over nothing or over an empty one. */
  #make(): void {
    mkdirSync(dirname(this.#dir), { recursive: true, mode: 0o700 });
    const fresh = mkdtempSync(`${this.#dir}.`);
    try {
      writeFileSync(join(fresh, "head"), encodeHead(null), { mode: 0o600 });
      renameSync(fresh, this.#dir);
    } catch (error) {
      rmSync(fresh, { recursive: true, force: true });
      if (!["ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }

  #names(prefix: string): string[] {
    return listed(this.#dir)
      .filter((name) => name.startsWith(prefix))
      .map((name) => name.slice(prefix.length));
  }
}

function chainDirectory(log: string): string {
  return `${log}.chain`;
}

/** Returns the path of the head while nobody writes. */
export function headFile(log: string): string {
  return join(chainDirectory(log), "head");
}

/** Reads the head as it is, whoever has it; undefined if there is none. */
export function peekHead(log: string): Head | undefined {
  const dir = chainDirectory(log);
  for (const name of listed(dir).filter((entry) => entry.startsWith("head"))) {
    try {
      return decodeHead(readFileSync(join(dir, name), "utf8"));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  return undefined;
}

function listed(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
