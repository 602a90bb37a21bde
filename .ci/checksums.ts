import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "./packages.ts";
import { filesIn } from "./release.ts";

/** Writes `SHA256SUMS` of all other files of a folder, as `sha256sum -c` and install.sh read it. */
export function writeChecksums(folder: string): void {
  const files = filesIn(folder).filter((file) => file !== "SHA256SUMS");
  const sums = files.map((file) => `${hashOf(path.join(folder, file))}  ${file}\n`);
  writeFileSync(path.join(folder, "SHA256SUMS"), sums.join(""));
}

function hashOf(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

if (process.argv[1] === import.meta.filename) writeChecksums(path.join(root, "dist/executable"));
