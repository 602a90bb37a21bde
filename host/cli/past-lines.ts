/** Searches what was typed before, from the newest line back. */
export class PastLines {
  #wanted: string | undefined;
  #at = -1;

  /**
   * Returns the next older line that holds what was typed when the search began; undefined if none
   * does.
   */
  next(lines: readonly string[], typed: string): string | undefined {
    if (this.#wanted === undefined) [this.#wanted, this.#at] = [typed.toLowerCase(), -1];
    const wanted = this.#wanted;
    const at = lines.findIndex(
      (line, i) => i > this.#at && line !== typed && line.toLowerCase().includes(wanted),
    );
    if (at < 0) return undefined;
    this.#at = at;
    return lines[at];
  }

  /** Any other key ends a search. */
  end(): void {
    this.#wanted = undefined;
  }
}
