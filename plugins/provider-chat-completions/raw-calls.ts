/** Marks by which models write a call when their server does not read it for them. */
const MARKS = [
  "<tool_call>",
  "<tool_calls>",
  "[TOOL_CALLS]",
  "<|python_tag|>",
  "<function=",
  "<|tool_call|>",
  "<|tool_call>",
  "<|tool_calls_section_begin|>",
  "<｜tool▁calls▁begin｜>",
  "<|channel|>commentary to=functions.",
] as const;
const MAY_BEGIN = /[<[]/g;

/**
 * Watches the text of one answer for raw calls of the offered tools; text from a mark on is held
 * back until the end.
 */
export class RawCalls {
  readonly #called: RegExp;
  #held = "";
  #marked = false;

  constructor(tools: readonly string[]) {
    // Names of tools are letters, digits, _ and -, so none of them means anything in a pattern.
    this.#called = new RegExp(
      `(?:"(?:name|function)"\\s*:\\s*"|=|functions\\.|\\]\\s*|>\\s*)(?:${tools.join("|")})(?![\\w-])`,
    );
  }

  /** Returns the part of the text so far that can be shown. */
  take(text: string): string {
    this.#held += text;
    if (this.#marked) return "";
    const at = firstMark(this.#held);
    this.#marked = at.whole;
    const shown = this.#held.slice(0, at.index);
    this.#held = this.#held.slice(at.index);
    return shown;
  }

  /** At the end of the answer: the rest of the text, or that it was a call. */
  end(): { readonly rest: string; readonly called: boolean } {
    return { rest: this.#held, called: this.#called.test(this.#held) };
  }
}

/** Finds the beginning of the first mark, or of a text that may still become one. */
function firstMark(text: string): { readonly index: number; readonly whole: boolean } {
  for (const { index } of text.matchAll(MAY_BEGIN)) {
    const rest = text.slice(index, index + 40);
    if (MARKS.some((mark) => rest.startsWith(mark))) return { index, whole: true };
    if (MARKS.some((mark) => mark.startsWith(rest))) return { index, whole: false };
  }
  return { index: text.length, whole: false };
}
