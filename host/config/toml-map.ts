import { parse } from "smol-toml";

/** One key or table of a TOML text, and its line, counted from 1. */
export interface TomlEntry {
  readonly path: readonly string[];
  readonly line: number;
}

export interface TomlMap {
  readonly keys: readonly TomlEntry[];
  readonly tables: readonly TomlEntry[];
}

/** Finds keys and tables in a text that a TOML parser has already accepted; it tells places, it does not judge. */
export function mapToml(text: string): TomlMap {
  const keys: TomlEntry[] = [];
  const tables: TomlEntry[] = [{ path: [], line: 1 }];
  let table: readonly string[] = [];
  let at = 0;
  while (at < text.length) {
    const start = skipBlank(text, at);
    if (start >= text.length) break;
    if (text[start] === "[") {
      const isArray = text[start + 1] === "[";
      const { path, end } = readKeyPath(text, start + (isArray ? 2 : 1));
      at = lineEnd(text, end);
      table = path;
      tables.push({ path, line: lineOf(text, start) });
      continue;
    }
    const { path, end } = readKeyPath(text, start);
    const valueStart = skipSpaces(text, text.indexOf("=", end) + 1);
    const full = [...table, ...path];
    at = lineEnd(text, readValue(text, valueStart, full, keys));
    keys.push({ path: full, line: lineOf(text, start) });
  }
  return { keys, tables };
}

/** The line of a key, or of the nearest table or key around it; of several, the first. */
export function lineOfPath({ keys, tables }: TomlMap, path: readonly string[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const part = path.slice(0, length);
    const found =
      [...keys, ...tables].find((entry) => samePath(entry.path, part)) ??
      [...keys, ...tables]
        .filter((entry) => samePath(entry.path.slice(0, length), part))
        .toSorted((a, b) => a.line - b.line)[0];
    if (found) return found.line;
  }
  return 1;
}

function samePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((part, i) => part === b[i]);
}

function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let i = text.indexOf("\n"); i !== -1 && i < offset; i = text.indexOf("\n", i + 1)) line += 1;
  return line;
}

function skipSpaces(text: string, at: number): number {
  while (text[at] === " " || text[at] === "\t") at += 1;
  return at;
}

/** Over white space, line ends, comments and commas. */
function skipBlank(text: string, at: number): number {
  for (;;) {
    while (at < text.length && /[\s,]/.test(text[at] as string)) at += 1;
    if (text[at] !== "#") return at;
    at = lineEnd(text, at);
  }
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end + 1;
}

/** `a . "b.c" . 'd'` */
function readKeyPath(text: string, from: number): { path: string[]; end: number } {
  const path: string[] = [];
  let at = from;
  for (;;) {
    at = skipSpaces(text, at);
    if (text[at] === '"' || text[at] === "'") {
      const end = stringEnd(text, at);
      path.push((parse(`v = ${text.slice(at, end)}`) as { v: string }).v);
      at = end;
    } else {
      const end = at + (/^[A-Za-z0-9_-]*/.exec(text.slice(at, at + 256))?.[0].length ?? 0);
      path.push(text.slice(at, end));
      at = end;
    }
    at = skipSpaces(text, at);
    if (text[at] !== ".") return { path, end: at };
    at += 1;
  }
}

/** The end of a value; keys of inline tables are added to `keys` on the way. */
function readValue(text: string, at: number, path: readonly string[], keys: TomlEntry[]): number {
  const sign = text[at];
  if (sign === '"' || sign === "'") return stringEnd(text, at);
  if (sign !== "[" && sign !== "{")
    return at + (/^[^\s,\]}#]+(?: \d\d:[^\s,\]}#]+)?/.exec(text.slice(at, at + 512))?.[0].length ?? 0);
  const close = sign === "[" ? "]" : "}";
  at = skipBlank(text, at + 1);
  while (at < text.length && text[at] !== close) {
    if (sign === "{") {
      const key = readKeyPath(text, at);
      const start = skipSpaces(text, text.indexOf("=", key.end) + 1);
      const end = readValue(text, start, [...path, ...key.path], keys);
      keys.push({ path: [...path, ...key.path], line: lineOf(text, at) });
      at = skipBlank(text, end);
    } else {
      at = skipBlank(text, readValue(text, at, path, keys));
    }
  }
  return at + 1;
}

function stringEnd(text: string, at: number): number {
  const quote = text[at] as string;
  const fence = text.startsWith(quote.repeat(3), at) ? quote.repeat(3) : quote;
  let i = at + fence.length;
  while (i < text.length && !text.startsWith(fence, i)) i += quote === '"' && text[i] === "\\" ? 2 : 1;
  i += fence.length;
  while (fence.length === 3 && text[i] === quote) i += 1;
  return i;
}
