import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { zstdCompressSync } from "node:zlib";
import { writeChecksums } from "./checksums.ts";
import { fuse, givenNodes, readNode, type NodeBinary } from "./node-binary.ts";
import { buildOneFile } from "./one-file.ts";
import { lockedPackage, readJson, root } from "./packages.ts";
import { filesIn, makeRelease } from "./release.ts";
import { notesName, releaseNotes } from "./release-notes.ts";

const processors = ["x64", "arm64"];
const into = path.join(root, "dist/executable");
const work = path.join(into, "work");

/**
 * Writes `dist/executable/gantry-linux-<processor>`, what installs it, `RELEASE-NOTES.txt` and
 * `SHA256SUMS`: Node with a release inside, for each processor named on the command line or for
 * all. Node is the one that package-lock.json names, or the one in GANTRY_NODE_ARCHIVE. What an
 * executable is made of does not depend on the machine that makes it.
 */
rmSync(into, { recursive: true, force: true });
const { name, folder } = makeRelease(work);
// The executable itself cannot do this: see host/cli/executable.ts.
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
const made = asked.length > 0 ? asked : processors;
const given = givenNodes(process.env["GANTRY_NODE_ARCHIVE"], made, work);
const nodes = made.map((processor) => given.get(processor) ?? lockedNode(processor));
for (const node of nodes) makeExecutable(node);
const { text, warnings } = releaseNotes(String(version), nodes);
writeFileSync(path.join(into, notesName), text);
for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
rmSync(work, { recursive: true });
cpSync(path.join(import.meta.dirname, "install.sh"), path.join(into, "install.sh"));
writeChecksums(into, process.env["GANTRY_SIGN_KEY"]);

function lockedNode(processor: string): NodeBinary {
  return readNode(path.join(lockedPackage(`node-linux-${processor}`), "bin/node"));
}

function makeExecutable({ file, processor }: NodeBinary): void {
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
  // Their stderr is told if they fail; otherwise it is about sections of Node that nobody asked
  // for.
  execFileSync(process.execPath, ["--experimental-sea-config", config], { stdio: "pipe" });
  const program = path.join(into, `gantry-linux-${processor}`);
  mkdirSync(into, { recursive: true });
  copyFileSync(file, program);
  const postject = path.join(root, "node_modules/postject/dist/cli.js");
  const inject = [postject, program, "NODE_SEA_BLOB", blob, "--sentinel-fuse", fuse];
  execFileSync(process.execPath, inject, { stdio: "pipe" });
  chmodSync(program, 0o755);
  if (processor === process.arch) execFileSync(program, ["--version"], { stdio: "pipe" });
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
