import { realpath } from "node:fs/promises";
import path from "node:path";
import { parse, stringify } from "smol-toml";
import { errors } from "@gantry/sdk";
import { makeDir, replaceFile } from "@gantry/sdk/node";
import { isTree } from "../../host/config/check.ts";
import { lineEnd, mapToml, samePath, type TomlKey } from "../../host/config/toml-map.ts";

/** The text with one key changed or added; comments and layout stay. */
export function setKey(text: string, key: readonly string[], value: unknown): string {
  const { keys, tables } = mapToml(text);
  const literal = literalOf(value);
  const found = keys.find((entry) => samePath(entry.path, key));
  if (found) return text.slice(0, found.start) + literal + text.slice(found.end);
  const inline = keys.findLast(({ path, start }) => text[start] === "{" && isBelow(key, path));
  if (inline) return insertInline(text, inline, keys, `${keyOf(key.slice(inline.path.length))} = ${literal}`);
  const table = key.slice(0, -1);
  const line = `${keyOf(key.slice(-1))} = ${literal}\n`;
  const home = tables.findLast((entry) => samePath(entry.path, table));
  if (home && (table.length > 0 || home.insertAt > 0)) return insertLine(text, home.insertAt, line);
  if (table.length === 0)
    return insertLine(text, topOf(text, tables[1] && offsetOfLine(text, tables[1].line)), line);
  // A table that dotted keys have made must not get a header too: the new key is dotted as they are.
  const dotted = keys.findLast((entry) => entry.home.length < table.length && isBelow(entry.path, table));
  if (dotted)
    return insertLine(
      text,
      lineEnd(text, dotted.end),
      `${keyOf(key.slice(dotted.home.length))} = ${literal}\n`,
    );
  const gap = text === "" || text.endsWith("\n\n") ? "" : text.endsWith("\n") ? "\n" : "\n\n";
  return `${text}${gap}[${keyOf(table)}]\n${line}`;
}

/** The text without one key, its line and what stands behind it there; as it is where the key does not stand in it. */
export function unsetKey(text: string, key: readonly string[]): string {
  const { keys } = mapToml(text);
  const found = keys.find((entry) => samePath(entry.path, key));
  if (!found) return text;
  const inline = keys.findLast(({ path, start }) => text[start] === "{" && isBelow(key, path));
  if (inline) return setKey(text, inline.path, without(valueOf(text, inline), key.slice(inline.path.length)));
  const start = text.lastIndexOf("\n", text.lastIndexOf("=", found.start)) + 1;
  return text.slice(0, start) + text.slice(lineEnd(text, found.end));
}

function valueOf(text: string, { start, end }: TomlKey): unknown {
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

/** Behind the last key of an inline table, or as its only one. */
function insertInline(text: string, inline: TomlKey, keys: readonly TomlKey[], entry: string): string {
  const last = keys.findLast(({ home }) => samePath(home, inline.path));
  const at = last ? last.end : inline.start + 1;
  return `${text.slice(0, at)}${last ? `, ${entry}` : ` ${entry} `}${text.slice(at)}`;
}

function insertLine(text: string, at: number, line: string): string {
  const before = text.slice(0, at);
  return `${before}${before === "" || before.endsWith("\n") ? "" : "\n"}${line}${text.slice(at)}`;
}

/** Where a first key of the root goes: before the first table and the comments that stand directly above it. */
function topOf(text: string, firstTable: number | undefined): number {
  if (firstTable === undefined) return text.length;
  let at = firstTable;
  for (;;) {
    const start = text.lastIndexOf("\n", at - 2) + 1;
    if (at === 0 || !text.slice(start, at).startsWith("#")) return at;
    at = start;
  }
}

function offsetOfLine(text: string, line: number): number {
  let at = 0;
  for (let i = 1; i < line; i += 1) at = text.indexOf("\n", at) + 1;
  return at;
}

function keyOf(path: readonly string[]): string {
  return path.map((name) => (/^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name))).join(".");
}

/** On one line, tables in braces. */
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

/** A value as it is typed on a command line: for a string key the text itself, else a TOML value. */
export function readValue(typed: string, isString: boolean): unknown {
  if (isString && !/^(["']).*\1$/s.test(typed)) return typed;
  try {
    return (parse(`v = ${typed}`) as { v: unknown }).v;
  } catch {
    return typed;
  }
}

/** At any moment the file is the old one or the new one, whole. Mode 0600; a link stays one. */
export async function writeWhole(named: string, text: string): Promise<void> {
  const file = await realpath(named).catch(() => named);
  try {
    makeDir(path.dirname(file));
    await replaceFile(file, text);
  } catch (error) {
    throw errors.CONFIG_UNWRITABLE(file, (error as NodeJS.ErrnoException).code ?? String(error));
  }
}
