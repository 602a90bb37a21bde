/** The mark of byte order of UTF-8, one character a byte. */
export const BYTE_ORDER_MARK: string = "\u00ef\u00bb\u00bf";

/** Text whose line ends are all \n. */
export function withoutReturns(text: string): string {
  return text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
}

/** Without blanks and tabs at the end. */
export function trimmedEnd(line: string): string {
  let end = line.length;
  while (end > 0 && isBlank(line[end - 1]!)) end--;
  return line.slice(0, end);
}

/** The blanks and tabs with which a line begins. */
export function indentOf(line: string): string {
  let end = 0;
  while (end < line.length && isBlank(line[end]!)) end++;
  return line.slice(0, end);
}

/** Without blanks and tabs at both ends. */
export function trimmed(line: string): string {
  return trimmedEnd(line.slice(indentOf(line).length));
}

function isBlank(sign: string): boolean {
  return sign === " " || sign === "\t";
}

/**
 * The lines of a file that was read as one character a byte; a byte order mark does not belong to
 * the first.
 */
export class Lines {
  readonly #text: string;
  readonly #starts: number[];

  constructor(text: string) {
    this.#text = text;
    this.#starts = [text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0];
    for (let at = text.indexOf("\n"); at !== -1 && at + 1 < text.length; at = text.indexOf("\n", at + 1))
      this.#starts.push(at + 1);
  }

  get count(): number {
    return this.#starts.length;
  }

  /** Returns the offset of a line's beginning; beyond the last line, that of the text's end. */
  start(line: number): number {
    return this.#starts[line] ?? this.#text.length;
  }

  /** Returns the offset of the end of a line's text, before its line end. */
  end(line: number): number {
    const next = this.start(line + 1);
    if (next === this.start(line) || this.#text[next - 1] !== "\n") return next;
    return this.#text[next - 2] === "\r" && next - 2 >= this.start(line) ? next - 2 : next - 1;
  }

  text(line: number): string {
    return this.#text.slice(this.start(line), this.end(line));
  }

  /** The line, from 0, in which a character stands. */
  at(index: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.start(middle) <= index) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  *[Symbol.iterator](): Generator<string, void> {
    for (let line = 0; line < this.count; line++) yield this.text(line);
  }
}
