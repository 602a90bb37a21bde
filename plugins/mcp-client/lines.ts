/** Cuts a stream of bytes into lines of at most so many bytes. */
export class Lines {
  readonly #max: number;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Returns the lines that end in this piece; undefined if one is too long, after which nothing is
   * held.
   */
  take(piece: Buffer): readonly string[] | undefined {
    const lines: string[] = [];
    let from = 0;
    for (let end = piece.indexOf(10); end >= 0; end = piece.indexOf(10, from)) {
      if (!this.#hold(piece.subarray(from, end))) return undefined;
      lines.push(Buffer.concat(this.#pieces).toString());
      this.#drop();
      from = end + 1;
    }
    return this.#hold(piece.subarray(from)) ? lines : undefined;
  }

  #hold(piece: Buffer): boolean {
    this.#bytes += piece.length;
    if (this.#bytes > this.#max) {
      this.#drop();
      return false;
    }
    if (piece.length > 0) this.#pieces.push(piece);
    return true;
  }

  #drop(): void {
    this.#pieces = [];
    this.#bytes = 0;
  }
}
