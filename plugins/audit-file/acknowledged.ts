import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { linesOf } from "./record.ts";

/** Records that are not there. */
export interface Gap {
  readonly from: number;
  readonly to: number;
  /** The hash of the record before them, so that what stands there stays bound. */
  readonly before: string;
}

/** A gap that a record further down the chain says was in order. */
export interface Acknowledgement {
  readonly from: number;
  readonly to: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly reason: string;
}

export function told({ from, to, at, reason }: Acknowledgement): string {
  const missing = from === to ? `record ${from} is` : `records ${from} to ${to} are`;
  return `${missing} missing, acknowledged ${at}: ${reason}`;
}

const MARK = '"audit_gap"';

/** Returns false if nothing that was written behind the first `from` bytes acknowledges a gap. */
export function mayAcknowledge(log: string, from: number): boolean {
  try {
    const file = openSync(log, "r");
    try {
      const added = Buffer.alloc(fstatSync(file).size - from);
      return added.subarray(0, readSync(file, added, 0, added.length, from)).includes(MARK);
    } finally {
      closeSync(file);
    }
  } catch {
    return true;
  }
}

/** The acknowledgements that stand in some files. */
export class Acknowledged {
  readonly #files: readonly string[];
  readonly #found = new Map<string, Acknowledgement>();

  constructor(files: readonly string[]) {
    this.#files = files;
  }

  /** Returns true if there is any. */
  async load(): Promise<boolean> {
    for (const file of this.#files) {
      const bytes = await readFile(file).catch(() => new Uint8Array());
      for (const line of linesOf(bytes).lines) this.#take(line);
    }
    return this.#found.size > 0;
  }

  find(gap: Gap): Acknowledgement | undefined {
    return this.#found.get(keyOf(gap));
  }

  #take(line: Uint8Array): void {
    const text = Buffer.from(line).toString();
    if (!text.includes(MARK)) return;
    try {
      const { event_type, timestamp, args, seq } = JSON.parse(text);
      // It stands behind what it speaks of.
      if (event_type !== "audit_gap" || !(seq > args.to)) return;
      const { from, to, reason } = args;
      this.#found.set(keyOf(args), { from, to, at: String(timestamp), reason: String(reason) });
    } catch {
      // Not a record: verify says so where it comes to it.
    }
  }
}

function keyOf({ from, to, before }: Gap): string {
  return `${from} ${to} ${before}`;
}
