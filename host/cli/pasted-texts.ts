/** Texts of several lines, each by the short sign that stands for it in the line that is typed. */
export class PastedTexts {
  readonly #texts = new Map<string, string>();

  /** A text as it stands in a line: itself, or its sign if it has several lines. */
  shown(text: string): string {
    if (!text.includes("\n")) return text;
    const sign = `[pasted text ${this.#texts.size + 1}, ${text.split("\n").length} lines]`;
    this.#texts.set(sign, text);
    return sign;
  }

  /** The line with each text in place of its sign. */
  whole(line: string): string {
    return line.replace(/\[pasted text \d+, \d+ lines\]/g, (sign) => this.#texts.get(sign) ?? sign);
  }
}
