import { randomBytes } from "node:crypto";
import { renameSync } from "node:fs";
import path from "node:path";
import { foreignNames } from "./folders.ts";
import { openFolder } from "./kept-file.ts";

/** A longer name is cut, since one has at most 255 bytes. */
const KEPT_BYTES = 120;

/** Gives each entry of a folder whose name is not UTF-8 one that is; returns the new paths. What cannot be renamed stays unseen. */
export function renameForeign(folder: string): readonly string[] {
  try {
    openFolder(folder);
    return foreignNames(folder).flatMap((name) => renamed(folder, name));
  } catch {
    return [];
  }
}

function renamed(folder: string, name: Buffer): readonly string[] {
  const shown = name.toString("latin1", 0, KEPT_BYTES).replace(/[^\x20-\x7e]/g, "_");
  const to = path.join(folder, `${shown}.renamed-${randomBytes(6).toString("hex")}`);
  try {
    renameSync(Buffer.concat([Buffer.from(`${folder}/`), name]), to);
    return [to];
  } catch {
    return [];
  }
}
