import { realpath } from "node:fs/promises";
import path from "node:path";
import { makeDir, replaceFile } from "@gantry/sdk/node";
import { errors } from "../errors.ts";

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
