#!/usr/bin/env node
import { cpSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { configDirOf } from "./config-dir.ts";
import { ownCopy } from "./own-copy.ts";

/**
 * The name of the folder beside this file that holds all that runs; written in when the package is
 * made.
 */
declare const GANTRY_RELEASE: string;

/**
 * The package puts this on the search path. It runs the release from a copy of its own, since npm
 * removes the folder of a release while the next one is installed, and with it code that a running
 * service may yet need.
 */
const installed = fileURLToPath(new URL(`./${GANTRY_RELEASE}`, import.meta.url));
await import(pathToFileURL(`${folderToRun()}/cli.js`).href);

function folderToRun(): string {
  if (["--version", "-V"].includes(process.argv[2] ?? "")) return installed;
  try {
    return ownCopy(configDirOf(process.env), GANTRY_RELEASE, (folder) => {
      cpSync(installed, folder, { recursive: true, filter: isOfThisMachine });
    });
  } catch {
    // A fault of the directory is told by the word that needs it; words that write nothing work
    // without.
    return installed;
  }
}

/** Machine code of other processors is left out. */
function isOfThisMachine(file: string): boolean {
  return !/_(?:x64|arm64)$/.test(file) || file.endsWith(`_${process.arch}`);
}
