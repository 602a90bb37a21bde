import { parse, stringify } from "smol-toml";
import type { ConfigChange } from "@gantry/sdk/fill";
import { lineEnd, placesIn, type KeyPlace } from "./places.ts";

/** Returns the text with these keys changed, one after the other; comments and layout stay. */
export function edit(text: string, changes: readonly ConfigChange[]): string {
  return changes.reduce(
    (now, [key, value]) => (value === undefined ? unsetKey(now, key) : setKey(now, key, value)),
    text,
  );
}

function setKey(text: string, key: readonly string[], value: unknown): string {
  const { keys, tables } = placesIn(text);
  const literal = literalOf(value);
  const found = keys.find((entry) => samePath(entry.path, key));
  if (found) return text.slice(0, found.start) + literal + text.slice(found.end);
  const inline = inlineAround(text, keys, key);
  if (inline) {
    const entry = `${keyOf(key.slice(inline.path.length))} = ${literal}`;
    return insertInline(text, inline, keys, entry);
  }
  const table = key.slice(0, -1);
  const newline = newlineOf(text);
  const line = `${keyOf(key.slice(-1))} = ${literal}${newline}`;
  const home = tables.findLast((entry) => samePath(entry.path, table));
  if (home && (table.length > 0 || home.insertAt > 0)) return insertLine(text, home.insertAt, line);
  if (table.length === 0) return insertLine(text, topOf(text, tables[1]?.start), line);
  // A table that dotted keys have made must not get a header too: the new key is dotted as well.
  const dotted = keys.findLast(({ home: at, path }) => at.length < table.length && isBelow(path, table));
  if (dotted) {
    const entry = `${keyOf(key.slice(dotted.home.length))} = ${literal}${newline}`;
    return insertLine(text, lineEnd(text, dotted.end), entry);
  }
  return `${text}${gapBefore(text, newline)}[${keyOf(table)}]${newline}${line}`;
}

/**
 * Takes the key's line out, with what stands behind the key there; of a table all that is in it.
 */
function unsetKey(text: string, key: readonly string[]): string {
  const { keys } = placesIn(text);
  const found = keys.find((entry) => samePath(entry.path, key));
  if (!found) return unsetTable(text, key);
  const inline = inlineAround(text, keys, key);
  if (inline) {
    const rest = without(valueOf(text, inline), key.slice(inline.path.length));
    return setKey(text, inline.path, rest);
  }
  const start = text.lastIndexOf("\n", text.lastIndexOf("=", found.start)) + 1;
  return text.slice(0, start) + text.slice(lineEnd(text, found.end));
}

/**
 * Takes out the tables of this name and below it, from the header to the last key, and dotted keys
 * below it elsewhere.
 */
function unsetTable(text: string, table: readonly string[]): string {
  // Everything lies below no key.
  if (table.length === 0) return text;
  const [, ...headed] = placesIn(text).tables;
  const left = headed
    .filter(({ path }) => samePath(path, table) || isBelow(path, table))
    .toReversed()
    .reduce((now, { start, insertAt }) => now.slice(0, start) + now.slice(insertAt), text);
  const dotted = placesIn(left).keys.filter(({ path }) => isBelow(path, table));
  return dotted.reduce((now, { path }) => unsetKey(now, path), left);
}

/** The innermost inline table that the key belongs into. */
function inlineAround(text: string, keys: readonly KeyPlace[], key: readonly string[]): KeyPlace | undefined {
  return keys.findLast(({ path, start }) => text[start] === "{" && isBelow(key, path));
}

function newlineOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** An empty line before a new table. */
function gapBefore(text: string, newline: string): string {
  if (text === "" || text.endsWith(newline + newline)) return "";
  return text.endsWith(newline) ? newline : newline + newline;
}

function valueOf(text: string, { start, end }: KeyPlace): unknown {
  return (parse(`v = ${text.slice(start, end)}`) as { v: unknown }).v;
}

function without(value: unknown, [first = "", ...rest]: readonly string[]): unknown {
  if (!isTree(value)) return value;
  const { [first]: inner, ...others } = value;
  return rest.length > 0 ? { ...others, [first]: without(inner, rest) } : others;
}

function isBelow(path: readonly string[], above: readonly string[]): boolean {
  return path.length > above.length && samePath(path.slice(0, above.length), above);
}

/** Puts the entry behind the last key of an inline table, or as its only one. */
function insertInline(text: string, inline: KeyPlace, keys: readonly KeyPlace[], entry: string): string {
  const last = keys.findLast(({ home }) => samePath(home, inline.path));
  const at = last ? last.end : inline.start + 1;
  return `${text.slice(0, at)}${last ? `, ${entry}` : ` ${entry} `}${text.slice(at)}`;
}

function insertLine(text: string, at: number, line: string): string {
  const before = text.slice(0, at);
  const isWhole = /(?:^|[\n\ufeff])$/.test(before);
  return `${before}${isWhole ? "" : newlineOf(text)}${line}${text.slice(at)}`;
}

/** Returns the place of a first key: before the first table and the comments directly above it. */
function topOf(text: string, firstTable: number | undefined): number {
  if (firstTable === undefined) return text.length;
  const first = text.startsWith("\ufeff") ? 1 : 0;
  let at = lineStart(text, firstTable);
  while (at > first && /^\ufeff?#/.test(text.slice(lineStart(text, at - 1), at)))
    at = lineStart(text, at - 1);
  return Math.max(at, first);
}

function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

function keyOf(path: readonly string[]): string {
  return path.map((name) => (/^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name))).join(".");
}

/** Returns the value as TOML on one line, tables in braces. */
function literalOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literalOf).join(", ")}]`;
  if (isTree(value)) {
    const entries = Object.entries(value).map(([name, item]) => `${keyOf([name])} = ${literalOf(item)}`);
    return entries.length > 0 ? `{ ${entries.join(", ")} }` : "{}";
  }
  return stringify({ v: value })
    .trim()
    .replace(/^v\s*=\s*/, "");
}

type Tree = Readonly<Record<string, unknown>>;

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function samePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((part, i) => part === b[i]);
}
