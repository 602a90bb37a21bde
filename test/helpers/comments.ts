import { parseSync } from "rolldown/utils";
import type { Source } from "./sources.ts";

/** A comment, of which `//` lines that stand below each other are one. */
export interface Comment {
  readonly file: string;
  /** Its first line, from 1. */
  readonly line: number;
  /** Its words, without the marks that make it a comment. */
  readonly text: string;
  /** The lines of the file that it touches. */
  readonly lines: readonly string[];
}

/** Returns the comments of a file. Throws if it cannot be parsed. */
export function commentsOf({ file, text }: Source): readonly Comment[] {
  const { comments, errors } = parseSync(file, text);
  const [wrong] = errors;
  if (wrong) throw new Error(`${file}: ${wrong.message}`);
  const found: { start: number; end: number; isLine: boolean }[] = [];
  for (const { type, start, end } of comments) {
    const last = found.at(-1);
    const isLine = type === "Line";
    if (isLine && last?.isLine && /^\s*\n[ \t]*$/.test(text.slice(last.end, start))) last.end = end;
    else found.push({ start, end, isLine });
  }
  return found.map(({ start, end }) => {
    const from = text.lastIndexOf("\n", start - 1) + 1;
    const to = text.indexOf("\n", end);
    return {
      file,
      line: text.slice(0, start).split("\n").length,
      text: wordsOf(text.slice(start, end)),
      lines: text.slice(from, to < 0 ? undefined : to).split("\n"),
    };
  });
}

function wordsOf(comment: string): string {
  return comment
    .replace(/\s*\*\/$/, "")
    .split("\n")
    .map((line) => line.replace(/^\s*(?:\/\/+|\/\*+|\*)\s?/, ""))
    .join(" ")
    .trim();
}
