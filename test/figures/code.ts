import { parseSync } from "rolldown/utils";
import type { Source } from "../helpers/sources.ts";

/** The shape of one file, in lines of its text. */
export interface FileFigures {
  readonly file: string;
  readonly lines: number;
  readonly commentLines: number;
  readonly codeLines: number;
  /** Characters of the lines of code together, without what indents them. */
  readonly codeCharacters: number;
  /** Lines of more than 100 characters. */
  readonly wideLines: number;
  /** Lines of each function that has a body in braces. */
  readonly functions: readonly number[];
  /** Functions with more than four parameters. */
  readonly manyParameters: number;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly params?: readonly unknown[];
  readonly body?: { readonly type: string };
}

/** Reads one TypeScript file. Throws if it cannot be parsed. */
export function figuresOf(source: Source): FileFigures {
  const { file, text } = source;
  const { program, comments, errors } = parseSync(file, text);
  const [wrong] = errors;
  if (wrong) throw new Error(`${file}: ${wrong.message}`);
  const lines = text.replace(/\n$/, "").split("\n");
  const lineAt = lineCounter(text);
  const commented = new Set<number>();
  for (const { start, end } of comments)
    for (let at = lineAt(start); at <= lineAt(end); at += 1) commented.add(at);
  const isComment = (_line: string, at: number): boolean => commented.has(at) && isAllComment(lines[at]);
  const code = lines.filter((line, at) => line.trim() !== "" && !isComment(line, at));
  const functions = functionsIn(program);
  return {
    file,
    lines: lines.length,
    commentLines: lines.filter(isComment).length,
    codeLines: code.length,
    codeCharacters: code.reduce((sum, line) => sum + line.trim().length, 0),
    wideLines: lines.filter((line) => line.length > 100).length,
    functions: functions.map(({ start, end }) => lineAt(end) - lineAt(start) + 1),
    manyParameters: functions.filter(({ params = [] }) => params.length > 4).length,
  };
}

/** True if nothing but a comment stands on a line that a comment touches. */
function isAllComment(line: string = ""): boolean {
  return /^\s*(?:\/\/|\/\*|\*)/.test(line);
}

/** Returns a function from an offset in `text` to the number of its line, from 0. */
function lineCounter(text: string): (offset: number) => number {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (offset) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  };
}

/** Returns each function below a node whose body stands in braces. */
function functionsIn(node: unknown): readonly Node[] {
  if (Array.isArray(node)) return node.flatMap(functionsIn);
  if (typeof node !== "object" || node === null) return [];
  const below = Object.values(node).flatMap(functionsIn);
  const { type, body } = node as Node;
  const isFunction = /Function/.test(String(type)) && body?.type === "BlockStatement";
  return isFunction ? [node as Node, ...below] : below;
}
