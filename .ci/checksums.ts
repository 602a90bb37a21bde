import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "./packages.ts";
import { filesIn } from "./release.ts";

const sumsName = "SHA256SUMS";
const signatureName = `${sumsName}.sig`;

/**
 * Writes `SHA256SUMS` of all other files of a folder, as `sha256sum -c` and install.sh read it,
 * and, where `key` names the file of a private or public key of ssh (the agent then holds the
 * private one), `SHA256SUMS.sig` of it.
 */
export function writeChecksums(folder: string, key: string | undefined): void {
  const [sums, signature] = [path.join(folder, sumsName), path.join(folder, signatureName)];
  const files = filesIn(folder).filter((file) => file !== sumsName && file !== signatureName);
  writeFileSync(sums, files.map((file) => `${hashOf(path.join(folder, file))}  ${file}\n`).join(""));
  rmSync(signature, { force: true });
  if (key) execFileSync("ssh-keygen", ["-q", "-Y", "sign", "-f", key, "-n", "gantry", sums]);
}

function hashOf(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

if (process.argv[1] === import.meta.filename)
  writeChecksums(process.argv[2] ?? path.join(root, "dist/executable"), process.env["GANTRY_SIGN_KEY"]);
