import type { FileOptions } from "./files.ts";

/** The words around the result need room too. */
const FRAME_BYTES = 512;
/** A part of the time limit, so that what was found by then is told. */
const TIME_SHARE = 0.8;

/** The time and room that a search has used. */
export class Spent {
  #end: number;
  #room: number;
  /** Set where there is more than was taken. */
  cut = false;

  constructor({ timeoutMs, maxOutputBytes }: FileOptions) {
    this.#end = performance.now() + timeoutMs * TIME_SHARE;
    this.#room = maxOutputBytes - FRAME_BYTES;
  }

  get time(): boolean {
    return this.leftMs === 0;
  }

  get leftMs(): number {
    return Math.max(0, Math.ceil(this.#end - performance.now()));
  }

  /** The rest cannot be done in any time. */
  end(): void {
    this.#end = 0;
  }

  /** Takes room for a line; false if there is none left, from then on for good. */
  takes(line: string): boolean {
    this.#room -= Buffer.byteLength(line) + 1;
    return this.#room >= 0;
  }

  /** Returns the notes on an incomplete result, with the cure. */
  notes(shown: string, cure: string): readonly string[] {
    if (this.cut) return [`only ${shown}, there are more: narrow ${cure}`];
    return this.time ? [`stopped when the time was up, there may be more: narrow ${cure}`] : [];
  }
}
