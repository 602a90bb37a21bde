import { inlineWords, isClosed, styled } from "./markdown-words.ts";
import { tint } from "../theme.ts";
import { printableProse } from "../terminal-line.ts";
import { cellsOf, isRule, tableText } from "./table-text.ts";

/**
 * The beginning of a line of words, after the sign of a list: anything else may yet become a
 * heading, rule, fence or table.
 */
const beginsWords = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(?:[^\s#>`~|=\-*_+\d]|\*{1,2}[^\s*])/;
const fenceLine = /^\s*(`{3,}|~{3,})(.*)$/;
/**
 * Beyond so many characters without a place to cut, a line is not looked through again until it
 * ends.
 */
const mostHeld = 4_096;

/**
 * An answer in Markdown on its way to a terminal. It only ever appends: words are written as they
 * come, as soon as no form around them can change any more, code by the line, and a table once it
 * is whole.
 */
export class AnswerText {
  readonly #out: Pick<NodeJS.WriteStream, "write" | "columns">;
  /** The end of the line that comes, as far as it is not written. */
  #line = "";
  /** True once a part of that line is written. */
  #isBegun = false;
  /** The fence that opened the code that comes. */
  #fence: string | undefined;
  #table: string[] = [];

  constructor(out: Pick<NodeJS.WriteStream, "write" | "columns">) {
    this.#out = out;
  }

  add(text: string): void {
    const [first = "", ...more] = text.split("\n");
    this.#line += first;
    for (const line of more) {
      this.#endLine();
      this.#line = line;
    }
    this.#writeEarly();
  }

  /** Writes all that is held back; what comes next begins a line. */
  end(): void {
    if (this.#line !== "" || this.#isBegun) this.#endLine();
    this.#writeTable();
    this.#fence = undefined;
  }

  #endLine(): void {
    const whole = this.#line.replace(/\r$/, "");
    this.#line = "";
    if (this.#fence !== undefined) return this.#code(whole, this.#fence);
    const line = whole.trimEnd();
    if (this.#isBegun) {
      this.#isBegun = false;
      return this.#write(inlineWords(line.replace(/\\$/, "")));
    }
    if (this.#table.length > 0 && this.#goesOnTable(line)) return void this.#table.push(line);
    this.#writeTable();
    const [, fence, info = ""] = fenceLine.exec(line) ?? [];
    // A fence of backticks with one behind it is code in a line.
    if (fence !== undefined && !(fence.startsWith("`") && info.includes("`"))) this.#openCode(fence, info);
    else if (cellsOf(line)) this.#table = [line];
    else this.#write(lineWords(line));
  }

  /** The language alone says nothing that the code does not. */
  #openCode(fence: string, info: string): void {
    this.#fence = fence;
    if (!/^\s*[\w+#.-]*$/.test(info)) this.#write(styled(tint("quiet"), printableProse(info.trim())));
  }

  #code(line: string, fence: string): void {
    const closing = line.trim();
    const isEnd = closing.startsWith(fence) && closing === (fence[0] ?? "").repeat(closing.length);
    if (isEnd) this.#fence = undefined;
    else this.#write(styled(tint("code"), printableProse(line)));
  }

  #goesOnTable(line: string): boolean {
    const cells = cellsOf(line);
    if (this.#table.length > 1) return cells !== undefined;
    return isRule(line) && cells?.length === cellsOf(this.#table[0] ?? "")?.length;
  }

  #writeTable(): void {
    const lines = this.#table;
    this.#table = [];
    const isTable = lines.length > 1;
    const shown = isTable ? tableText(lines, this.#out.columns || 80) : lines.map(lineWords);
    for (const line of shown) this.#write(line);
  }

  /**
   * Writes what of the line can be written before its end, up to a space that may yet be its last.
   */
  #writeEarly(): void {
    if (this.#fence !== undefined || this.#table.length > 0 || this.#line.length > mostHeld) return;
    const words = this.#line.slice(0, this.#line.lastIndexOf(" ")).trimEnd();
    if (words.trim() === "" || !this.#line.includes(" ")) return;
    if (!this.#isBegun && !beginsWords.test(words)) return;
    if (!isClosed(words)) return;
    this.#out.write(this.#isBegun ? inlineWords(words) : lineWords(words));
    this.#isBegun = true;
    this.#line = this.#line.slice(words.length);
  }

  #write(line: string): void {
    this.#out.write(`${line}\n`);
  }
}

/** Returns a line of Markdown as people read it. */
function lineWords(line: string): string {
  const [, marks = "", title] = /^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$/.exec(line) ?? [];
  if (title !== undefined) return styled(marks === "#" ? ["bold", "underline"] : "bold", inlineWords(title));
  if (/^ {0,3}([-*_])(?:[ \t]*\1){2,}\s*$/.test(line)) return styled(tint("quiet"), "─".repeat(40));
  const [, quote, quoted = ""] = /^\s*((?:>\s?)+)(.*)$/.exec(line) ?? [];
  if (quote !== undefined)
    return styled(tint("quiet"), "│ ".repeat(quote.replace(/\s/g, "").length)) + inlineWords(quoted);
  const [, indent = "", item] = /^(\s*)[-*+]\s+(.*)$/s.exec(line) ?? [];
  if (item === undefined) return inlineWords(line.replace(/\\$/, ""));
  const [, box, task] = /^\[([ xX])\]\s+(.*)$/s.exec(item) ?? [];
  return `${indent}${task === undefined ? "•" : box === " " ? "☐" : "☑"} ${inlineWords(task ?? item)}`;
}
