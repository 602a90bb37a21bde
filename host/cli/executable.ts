import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { getRawAsset } from "node:sea";
import { zstdDecompressSync } from "node:zlib";
import { configDirOf } from "./config-dir.ts";
import { ownCopy } from "./own-copy.ts";

/** Name and version of the release inside; written in when the executable is made. */
declare const GANTRY_RELEASE: string;
declare const GANTRY_VERSION: string;
/**
 * The name of its copy: it unpacks other files than the package of the same release, machine code
 * of one processor and a file more.
 */
const ownName = `${GANTRY_RELEASE}-${process.arch}`;

/**
 * The single executable runs this first. It holds a release as one packed file and runs it from a
 * copy on disk, since modules, threads and machine code are loaded from files. With `--as-node
 * FILE` it is Node: Gantry starts its helper processes so.
 */
const [, , first = "", second = ""] = process.argv;
if (["--version", "-V"].includes(first) && second === "") process.stdout.write(`${GANTRY_VERSION}\n`);
else if (first === "--as-node") {
  process.argv.splice(1, 3, second);
  run(second);
} else {
  try {
    run(path.join(ownCopy(configDirOf(process.env), ownName, unpack), "cli.js"));
  } catch (error) {
    const why = `${configDirOf(process.env)} cannot hold it (${(error as Error).message})`;
    process.stderr.write(
      `gantry: The program unpacks itself once, and ${why}: free it or set SERVICE_CONFIG_DIR. [EXECUTABLE_UNPACK]\n`,
    );
    process.exitCode = 1;
  }
}

/** Code outside of a file may not import one, so the release holds a file that does. */
function run(file: string): void {
  const require = createRequire(path.resolve(file));
  for (let folder = path.dirname(path.resolve(file)); ; folder = path.dirname(folder)) {
    const importer = path.join(folder, "import.cjs");
    if (existsSync(importer)) return void (require(importer) as (file: string) => Promise<unknown>)(file);
    if (folder === path.dirname(folder)) break;
  }
  // The file is not part of this release, but of another one, say.
  const own = ownCopy(configDirOf(process.env), ownName, unpack);
  void (require(path.join(own, "import.cjs")) as (file: string) => Promise<unknown>)(path.resolve(file));
}

/**
 * The length of a list in four bytes, the list of names and sizes in JSON, then the files one after
 * another.
 */
function unpack(folder: string): void {
  const packed = zstdDecompressSync(new Uint8Array(getRawAsset("release")));
  const start = 4 + packed.readUInt32LE(0);
  const list = JSON.parse(packed.toString("utf8", 4, start)) as readonly (readonly [string, number])[];
  let at = start;
  for (const [name, size] of list) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, packed.subarray(at, at + size), { mode: 0o600 });
    at += size;
  }
}
