import { open } from "node:fs/promises";
import type { Store } from "@gantry/sdk";
import type { Anchor } from "./anchor.ts";
import type { Head } from "./head.ts";
import { linesOf, placeOf } from "./record.ts";
import { peekHead } from "./token.ts";

const space = "audit-anchors";
/** The ms within which a record is noted. */
const withinMs = 10_000;

/** The store's note of the last record of this node's log. */
export class Anchors {
  readonly #values: Store["values"] | undefined;
  readonly #log: string;
  readonly #key: string;
  #isServing = false;
  #timer: NodeJS.Timeout | undefined;
  /** The end of the log that this process has noted last. */
  #noted: Head | undefined;

  /** `name`: the log, as the configuration names it. Without a store nothing is noted. */
  constructor(store: Store | undefined, log: string, name: string) {
    [this.#values, this.#log, this.#key] = [store?.values, log, `${store?.node ?? ""} ${name}`];
  }

  /** Throws what the store throws. */
  async read(): Promise<Anchor | undefined> {
    return this.#values?.get<Anchor>(space, this.#key);
  }

  /** Returns undefined if the store does not answer too: its own checks tell of that. */
  async known(): Promise<Anchor | undefined> {
    return this.read().catch(() => undefined);
  }

  /** Has what is written from now on noted. */
  serve(): void {
    this.#isServing = true;
    this.wrote();
  }

  /** Notes the end of the log soon, if this process serves. */
  wrote(): void {
    if (!this.#isServing) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.note();
    }, withinMs).unref();
  }

  /** Notes the last records, as a process that served ends. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#isServing) await this.note();
  }

  /**
   * Notes the end of a log that holds what is noted so far. Otherwise the note stays as it is, and
   * so does what is told of it.
   */
  async note(): Promise<void> {
    try {
      const known = await this.read();
      const head = peekHead(this.#log);
      if (!head || head.seq <= (known?.seq ?? 0)) return;
      if (known && !(await this.#holds(known, head))) return;
      await this.#put(head);
    } catch {
      // The store's own checks tell; the next record is noted once it answers.
    }
  }

  /** Notes the end of the log as it is: the owner has said why earlier records are missing. */
  async accept(): Promise<void> {
    const head = peekHead(this.#log);
    if (head) await this.#put(head);
  }

  /**
   * Reads only what was written since if this process has noted the last record of the same file;
   * else all of the log.
   */
  async #holds(known: Anchor, head: Head): Promise<boolean> {
    const noted = this.#noted;
    if (noted?.hash === known.hash && noted.from === head.from)
      return (await firstPrev(this.#log, noted.size, head.size)) === known.hash;
    const { verify } = await import("./verify.ts");
    return !(await verify(this.#log, known)).problem;
  }

  async #put(head: Head): Promise<void> {
    const { seq, hash } = head;
    const anchor: Anchor = { seq, hash, at: new Date().toISOString() };
    this.#noted = head;
    await this.#values?.put(space, this.#key, anchor);
  }
}

/** Returns the hash that the first line between two offsets gives the line before it. */
async function firstPrev(log: string, from: number, to: number): Promise<string | undefined> {
  const handle = await open(log);
  try {
    const { buffer } = await handle.read({ buffer: Buffer.alloc(to - from), position: from });
    const [line] = linesOf(buffer).lines;
    return line && placeOf(line)?.prev;
  } finally {
    await handle.close();
  }
}
