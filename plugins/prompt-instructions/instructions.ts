import { readFile } from "node:fs/promises";
import path from "node:path";
import { errors } from "./errors.ts";

/** The text, or what stands in the file it names; read anew for every turn, so that a change needs no restart. */
export async function instructionsText(written: string, configDir: string): Promise<string> {
  if (!written.startsWith("file:")) return written;
  const file = path.resolve(configDir, written.slice("file:".length).trim());
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    throw errors.INSTRUCTIONS_UNREADABLE(file, (error as NodeJS.ErrnoException).code ?? String(error));
  }
}
