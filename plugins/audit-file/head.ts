import { NOTHING } from "./record.ts";

/** The end of the chain. */
export interface Head {
  /** The last record, and the hash of its line. */
  readonly seq: number;
  readonly hash: string;
  /** Bytes of the current file that hold good. */
  readonly size: number;
  /**
   * The number of the current file's first record, and the day (UTC) of its records; "" while it is
   * empty.
   */
  readonly from: number;
  readonly day: string;
  /** The oldest record that is kept. */
  readonly first: number;
}

export const start: Head = { seq: 0, hash: NOTHING, size: 0, from: 1, day: "", first: 1 };

/** The head once the current file is put away: the next record starts a new one. */
export function afterwards(head: Head): Head {
  return { ...head, size: 0, from: head.seq + 1, day: "" };
}

/** Small enough to be written in place by one sector, so that it is never torn. */
const BYTES = 256;

/** `null` for a head that is still to be found. */
export function encodeHead(head: Head | null): string {
  return `${JSON.stringify(head).padEnd(BYTES - 1)}\n`;
}

export function decodeHead(text: string): Head | undefined {
  try {
    const { seq, hash, size, from, day, first } = JSON.parse(text) as Head;
    const numbers = [seq, size, from, first].every((number) => Number.isSafeInteger(number) && number >= 0);
    return numbers && /^[0-9a-f]{64}$/.test(hash) && typeof day === "string"
      ? { seq, hash, size, from, day, first }
      : undefined;
  } catch {
    return undefined;
  }
}
