import type { FileFound, FileSearch } from "@gantry/sdk/fill";
import { asError } from "@gantry/sdk/node";
import type { Results } from "../messages.ts";
import { type LineTest, lineTest } from "./line-test.ts";
import { linesThatHold } from "./lines-that-hold.ts";

/** A file with a zero in its beginning is not text. */
const SNIFFED_BYTES = 8_192;
/** Most lines of all files together; some of the files may not be shown. */
const MAX_LINES = 10_000;

/** Thrown if a pattern is invalid, with the reason. */
export class NoPattern extends Error {}

/**
 * Returns the lines of files that hold what is looked for; `read` gives nothing of a file that is
 * not searched. Throws NoPattern.
 */
export function searchFiles(
  search: FileSearch,
  read: (file: string) => Uint8Array | undefined,
): Results["search"] {
  const test = tested(search);
  const found: FileFound[] = [];
  let searched = 0;
  let room = MAX_LINES;
  for (const path of search.files) {
    const data = read(path);
    if (!data || data.subarray(0, SNIFFED_BYTES).includes(0)) continue;
    searched++;
    const limit = Math.min(search.limit, room);
    const { lines, more } = linesThatHold(new TextDecoder().decode(data), test, limit, search.context ?? 0);
    if (lines.length > 0 || more) found.push({ path, lines, more });
    room -= lines.filter(({ holds }) => holds).length;
  }
  return { found, searched };
}

function tested(search: FileSearch): LineTest {
  try {
    return lineTest(search);
  } catch (error) {
    throw new NoPattern(asError(error).message);
  }
}
