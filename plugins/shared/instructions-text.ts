import { readFile } from "node:fs/promises";
import path from "node:path";

/**
 * Returns the text, or what stands in the file that it names as `file:` and a path; read anew for
 * every turn, so that a change needs no restart. Throws what `unreadable` makes of file and why.
 */
export async function instructionsText(
  written: string,
  configDir: string,
  unreadable: (file: string, why: string) => Error,
): Promise<string> {
  if (!written.startsWith("file:")) return written;
  const file = path.resolve(configDir, written.slice("file:".length).trim());
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    throw unreadable(file, (error as NodeJS.ErrnoException).code ?? String(error));
  }
}
