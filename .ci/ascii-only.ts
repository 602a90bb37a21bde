import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { decode, encode } from "@jridgewell/sourcemap-codec";

const beyondAscii = /[\u0080-\uffff]/g;
const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
/** The characters by which an escape is longer than the character it stands for. */
const longer = 5;

/**
 * Writes what is beyond ASCII in built files as escapes, and moves their maps along. One such
 * character makes Node decode the whole file and hold it at two bytes a character.
 */
export function asciiOnly(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) asciiOnly(file);
    else if (existsSync(`${file}.map`)) rewrite(file);
  }
}

function rewrite(file: string): void {
  const code = readFileSync(file, "utf8");
  const text = code.replace(beyondAscii, escaped);
  if (text === code) return;
  const map = JSON.parse(readFileSync(`${file}.map`, "utf8")) as { mappings: string };
  const lines = decode(map.mappings);
  code.split("\n").forEach((line, i) => {
    const columns = [...line.matchAll(beyondAscii)].map(({ index }) => index);
    // Both go up by column, so that each is passed once: a library's tables are one line with a
    // hundred thousand escapes.
    let escapes = 0;
    for (const segment of lines[i] ?? []) {
      while (escapes < columns.length && (columns[escapes] as number) < segment[0]) escapes += 1;
      segment[0] += longer * escapes;
    }
  });
  writeFileSync(file, text);
  writeFileSync(`${file}.map`, JSON.stringify({ ...map, mappings: encode(lines) }));
}
