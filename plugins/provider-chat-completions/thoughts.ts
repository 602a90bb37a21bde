const OPEN = /^\s*<(think|thinking|thought|reasoning)>/;
const MAY_OPEN = /^\s*(?:<[a-z]{0,9})?$/;
const LONGEST_MARK = "</reasoning>".length;

/**
 * Takes the thoughts out with which local models begin: `<think>…</think>`, whatever the pieces.
 * Only what an answer begins with counts; the same words later on are the answer's own.
 */
export class Thoughts {
  #state: "begins" | "thinks" | "thought" | "answers" = "begins";
  #held = "";
  #close = "";

  /** Returns the part of this piece that belongs to the answer. */
  take(text: string): string {
    if (this.#state === "answers") return text;
    this.#held += text;
    if (this.#state === "begins" && !this.#begin()) return "";
    return this.#state === "thinks" ? this.#think() : this.#answer();
  }

  /** Returns, at the end of the answer, the text that was held back and is not a thought. */
  end(): string {
    return this.#state === "begins" ? this.#release() : "";
  }

  /** True once it is known how the answer begins. */
  #begin(): boolean {
    const opened = OPEN.exec(this.#held);
    if (opened) {
      this.#close = `</${opened[1]}>`;
      this.#held = this.#held.slice(opened[0].length);
      this.#state = "thinks";
    } else if (MAY_OPEN.test(this.#held)) return false;
    else this.#state = "answers";
    return true;
  }

  #think(): string {
    const at = this.#held.indexOf(this.#close);
    if (at < 0) {
      // A mark may be cut in two; nothing else of a thought is kept.
      this.#held = this.#held.slice(-LONGEST_MARK);
      return "";
    }
    this.#held = this.#held.slice(at + this.#close.length);
    this.#state = "thought";
    return this.#answer();
  }

  /** The lines between a thought and the answer belong to neither. */
  #answer(): string {
    if (this.#state === "thought") this.#held = this.#held.trimStart();
    return this.#held === "" ? "" : this.#release();
  }

  #release(): string {
    this.#state = "answers";
    const text = this.#held;
    this.#held = "";
    return text;
  }
}
