import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { zstdCompressSync } from "node:zlib";
import { writeChecksums } from "./checksums.ts";
import { buildOneFile } from "./one-file.ts";
import { lockedPackage, readJson, root } from "./packages.ts";
import { filesIn, makeRelease } from "./release.ts";

/** A mark in every Node where a program of one's own may be put. */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";
const processors = ["x64", "arm64"];
const into = path.join(root, "dist/executable");
const work = path.join(into, "work");

/**
 * Writes `dist/executable/gantry-linux-<processor>`, what installs it and `SHA256SUMS`: Node with a release inside, for each
 * processor named on the command line or for all. What it is made of does not depend on the machine that makes it.
 */
rmSync(into, { recursive: true, force: true });
const { name, folder } = makeRelease(work);
// What the executable itself cannot do: see host/cli/executable.ts.
writeFileSync(
  path.join(folder, "import.cjs"),
  'module.exports = (file) => import(require("node:url").pathToFileURL(file).href);\n',
);
const { version } = readJson(path.join(root, "package.json"));
await buildOneFile("main", "host/cli/executable.ts", work, "cjs", {
  GANTRY_RELEASE: name,
  GANTRY_VERSION: version,
});
const asked = process.argv.slice(2);
for (const processor of asked.length > 0 ? asked : processors) makeExecutable(processor);
rmSync(work, { recursive: true });
cpSync(path.join(import.meta.dirname, "install.sh"), path.join(into, "install.sh"));
writeChecksums(into, process.env["GANTRY_SIGN_KEY"]);

function makeExecutable(processor: string): void {
  const blob = path.join(work, "blob");
  const config = path.join(work, "sea.json");
  const asset = path.join(work, "release.zst");
  writeFileSync(asset, packed(processor));
  const facts = {
    main: path.join(work, "main.cjs"),
    output: blob,
    disableExperimentalSEAWarning: true,
    // As the units that `gantry service install` writes: see plugins/service-manager.
    execArgv: ["--no-memory-protection-keys"],
    execArgvExtension: "cli",
    assets: { release: asset },
  };
  writeFileSync(config, JSON.stringify(facts));
  // What both say on stderr is told where they fail; else it is about sections of Node that nobody asked for.
  execFileSync(process.execPath, ["--experimental-sea-config", config], { stdio: "pipe" });
  const program = path.join(into, `gantry-linux-${processor}`);
  mkdirSync(into, { recursive: true });
  cpSync(path.join(lockedPackage(`node-linux-${processor}`), "bin/node"), program);
  const postject = path.join(root, "node_modules/postject/dist/cli.js");
  const inject = [postject, program, "NODE_SEA_BLOB", blob, "--sentinel-fuse", fuse];
  execFileSync(process.execPath, inject, { stdio: "pipe" });
  chmodSync(program, 0o755);
}

/** The release as executable.ts unpacks it, without the machine code of other processors. */
function packed(processor: string): Uint8Array {
  const own = (file: string): boolean => !/_(?:x64|arm64)\//.test(file) || file.includes(`_${processor}/`);
  const files = filesIn(folder)
    .filter(own)
    .map((file) => [file, readFileSync(path.join(folder, file))] as const);
  const list = Buffer.from(JSON.stringify(files.map(([file, bytes]) => [file, bytes.length])));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(list.length);
  return zstdCompressSync(Buffer.concat([length, list, ...files.map(([, bytes]) => bytes)]));
}
