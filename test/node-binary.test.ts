import { execFileSync } from "node:child_process";
import { closeSync, copyFileSync, mkdirSync, openSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { givenNodes, readNode } from "../.ci/node-binary.ts";
import { releaseNotes } from "../.ci/release-notes.ts";
import { tempDir } from "./helpers/temp-dir.ts";

const linux = process.platform === "linux";
const own = { processor: process.arch, version: process.versions.node };

/** A folder with what is in an archive of Node: the one that runs this. */
function unpackedNode(dir: string, program = process.execPath): string {
  const folder = path.join(dir, `node-v${process.versions.node}-linux`);
  mkdirSync(path.join(folder, "bin"), { recursive: true });
  symlinkSync(program, path.join(folder, "bin/node"));
  return folder;
}

test.runIf(linux)("FLR-01: an executable is made of the Node in a folder that is given", () => {
  using home = tempDir();
  const folder = unpackedNode(home.dir);
  const given = givenNodes(folder, [process.arch], path.join(home.dir, "work"));
  expect([...given]).toEqual([[process.arch, { ...own, file: path.join(folder, "bin/node") }]]);
});

test.runIf(linux)("FLR-01: an executable is made of the Node in an archive that is given", () => {
  using home = tempDir();
  const folder = unpackedNode(home.dir);
  const archive = path.join(home.dir, "node.tar");
  execFileSync("tar", ["-chf", archive, "-C", home.dir, path.basename(folder)]);
  const given = givenNodes(archive, [process.arch], path.join(home.dir, "work"));
  expect(given.get(process.arch)).toMatchObject(own);
});

test.runIf(linux)("FLR-01: without a given Node the pinned one is used", () => {
  for (const none of [undefined, "", ":"]) expect(givenNodes(none, ["x64"], "/nowhere").size).toBe(0);
});

test.runIf(linux)("FLR-01: a given Node that no executable can be made of is refused, and why", () => {
  using home = tempDir();
  const folder = unpackedNode(home.dir);
  const given = (paths: string, processors: readonly string[]) => () =>
    givenNodes(paths, processors, path.join(home.dir, "work"));
  const other = process.arch === "x64" ? "arm64" : "x64";
  expect(given(folder, [other])).toThrow(`is for ${process.arch}, which is not made now`);
  expect(given(`${folder}:${folder}`, [process.arch])).toThrow("is the second one");
  expect(given(path.join(home.dir, "missing"), [process.arch])).toThrow("ENOENT");
  const tool = unpackedNode(path.join(home.dir, "tool"), "/bin/sh");
  expect(given(tool, [process.arch])).toThrow("is not a Node, or already holds a program");
  const text = path.join(home.dir, "text");
  writeFileSync(text, "a few words, and no program at all");
  expect(() => readNode(text)).toThrow("is not a program for Linux on x64 or arm64");
});

test.runIf(linux)("FLR-01: the version of a Node for another processor is read out of it", () => {
  using home = tempDir();
  const file = path.join(home.dir, "node");
  copyFileSync(process.execPath, file);
  const [byte, processor] = process.arch === "x64" ? [0xb7, "arm64"] : [0x3e, "x64"];
  const opened = openSync(file, "r+");
  writeSync(opened, Buffer.of(byte), 0, 1, 18);
  closeSync(opened);
  expect(readNode(file)).toEqual({ file, processor, version: process.versions.node });
});

test("FLR-01: the notes of a release tell which Node each executable carries", () => {
  const nodes = [
    { processor: "x64", version: "24.21.0" },
    { processor: "arm64", version: "24.22.1" },
  ];
  const { text, warnings } = releaseNotes("0.1.0", nodes);
  expect(text).toContain(
    "gantry-linux-x64 carries Node 24.21.0, open to CVE-2026-111497 and 6 more. Node 24.22.1 is not.\n",
  );
  expect(text).toContain("gantry-linux-arm64 carries Node 24.22.1.\n");
  expect(text).toContain("  CVE-2026-111497: code of whoever sends a body packed with Brotli 1.2.0.");
  expect(warnings).toEqual([expect.stringContaining("gantry-linux-x64 carries Node 24.21.0, open to")]);
});
