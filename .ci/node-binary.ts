import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

/** A mark in every Node where a program of one's own may be put; `:0` while nothing is there. */
export const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";
/** The processor by the number at byte 18 of an executable for Linux. */
const machines = new Map([
  [0x3e, "x64"],
  [0xb7, "arm64"],
]);
/** A text that every official Node holds, for any processor. */
const nameInside = /node-v(\d+\.\d+\.\d+)-headers\.tar\.gz/;

/** The program of a Node for Linux. */
export interface NodeBinary {
  readonly file: string;
  readonly processor: string;
  readonly version: string;
}

/**
 * Reads what GANTRY_NODE_ARCHIVE names: paths, with colons between them, of archives as Node's
 * project publishes them, or of folders that hold an unpacked one. Unpacks into `work`. Throws for
 * a Node that no executable for one of `processors` can be made of.
 */
export function givenNodes(
  paths: string | undefined,
  processors: readonly string[],
  work: string,
): ReadonlyMap<string, NodeBinary> {
  const given = new Map<string, NodeBinary>();
  for (const at of (paths ?? "").split(path.delimiter).filter((one) => one !== "")) {
    const node = readNode(path.join(unpacked(at, work), "bin/node"));
    const refuse = (why: string): never => {
      throw new Error(`GANTRY_NODE_ARCHIVE: ${at} ${why}`);
    };
    if (!processors.includes(node.processor)) refuse(`is for ${node.processor}, which is not made now`);
    if (given.has(node.processor)) refuse(`is the second one for ${node.processor}: name one`);
    // The Node that runs this makes the blob that is put into it.
    if (lineOf(node.version) !== lineOf(process.versions.node))
      refuse(`is Node ${node.version}: take one of the line of ${process.versions.node}`);
    given.set(node.processor, node);
  }
  return given;
}

/** Reads the facts of a program. Throws unless it is a Node for Linux without a program inside. */
export function readNode(file: string): NodeBinary {
  const bytes = readFileSync(file);
  const processor = machines.get(bytes.length > 20 ? bytes.readUInt16LE(18) : 0);
  if (bytes.toString("latin1", 0, 4) !== "\x7fELF" || processor === undefined)
    throw new Error(`${file} is not a program for Linux on ${[...machines.values()].join(" or ")}.`);
  if (!bytes.includes(`${fuse}:0`)) throw new Error(`${file} is not a Node, or already holds a program.`);
  const at = bytes.indexOf("-headers.tar.gz");
  const near = at < 0 ? "" : bytes.toString("latin1", Math.max(0, at - 40), at + 20);
  const version = processor === process.arch ? versionOf(file) : nameInside.exec(near)?.[1];
  if (version === undefined) throw new Error(`${file} does not tell its version.`);
  return { file, processor, version };
}

/** Runs a Node for this processor. */
function versionOf(file: string): string {
  return execFileSync(file, ["--version"], { encoding: "utf8", env: {} }).trim().replace(/^v/, "");
}

function unpacked(at: string, work: string): string {
  if (statSync(at).isDirectory()) return at;
  mkdirSync(work, { recursive: true });
  const folder = mkdtempSync(path.join(work, "node-"));
  execFileSync("tar", ["-xf", at, "-C", folder, "--strip-components=1"]);
  return folder;
}

function lineOf(version: string): string {
  return version.split(".")[0] ?? "";
}
