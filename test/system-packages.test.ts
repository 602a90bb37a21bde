import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { writeDebs } from "../.ci/deb.ts";
import { writeFormula } from "../.ci/formula.ts";
import { writeDocuments } from "./helpers/documents.ts";
import { root, tempDir } from "./helpers/cli.ts";

const dpkg = existsSync("/usr/bin/dpkg-deb");
const names = ["gantry_0.1.0_arm64.deb", "gantry_0.1.0_amd64.deb"];

/** A release whose executables are a few lines of shell. */
function release(dir: string, name: string): string {
  const folder = path.join(dir, name);
  mkdirSync(folder);
  for (const processor of ["x64", "arm64"])
    writeFileSync(path.join(folder, `gantry-linux-${processor}`), '#!/bin/sh\necho "0.1.0 $1"\n', {
      mode: 0o755,
    });
  return folder;
}

function deb(...args: readonly string[]): string {
  return execFileSync("dpkg-deb", args, { encoding: "utf8", env: { ...process.env, TZ: "UTC" } });
}

test.skipIf(!dpkg)(
  "DIS-04: dpkg reads the .deb of each executable, and what it unpacks runs (skipped where there is no dpkg-deb)",
  () => {
    using home = tempDir();
    const folder = release(home.dir, "release");
    expect(writeDebs(folder, writeDocuments(home.dir))).toEqual(names);
    const file = path.join(folder, "gantry_0.1.0_amd64.deb");
    expect(deb("-f", path.join(folder, "gantry_0.1.0_arm64.deb"), "Architecture")).toBe("arm64\n");
    expect(deb("-f", file)).toMatch(
      /^Package: gantry\nVersion: 0\.1\.0\nArchitecture: amd64\nMaintainer: The Gantry authors\nInstalled-Size: \d+\n/,
    );
    expect(deb("-f", file, "Description")).toMatch(/^small agent runtime\n A small agent runtime: plugins/);
    // No maintainer scripts: the control file is all there is.
    expect(execFileSync("dpkg-deb", ["--ctrl-tarfile", file]).includes("inst")).toBe(false);
    const listed = deb("-c", file).trimEnd().split("\n");
    expect(
      listed.every((line) => /^[d-]rw[x-]r-[x-]r-[x-] root\/root +\d+ 1970-01-01 00:00 /.test(line)),
    ).toBe(true);
    const files = listed.filter((line) => line.startsWith("-")).map((line) => line.replace(/^.* /, ""));
    expect(files).toEqual([
      "./etc/apparmor.d/gantry",
      "./usr/bin/gantry",
      "./usr/share/bash-completion/completions/gantry",
      "./usr/share/doc/gantry/copyright",
      "./usr/share/fish/vendor_completions.d/gantry.fish",
      "./usr/share/man/man1/gantry.1.gz",
      "./usr/share/zsh/vendor-completions/_gantry",
    ]);
    const conffiles = execFileSync("dpkg-deb", ["--info", file, "conffiles"], { encoding: "utf8" });
    expect(conffiles).toBe("/etc/apparmor.d/gantry\n");
    const unpacked = path.join(home.dir, "unpacked");
    execFileSync("dpkg", ["-x", file, unpacked]);
    const program = path.join(unpacked, "usr/bin/gantry");
    expect(execFileSync(program, ["--version"], { encoding: "utf8" })).toBe("0.1.0 --version\n");
  },
);

test("DIS-04: the same files make the same .deb, whatever their times and modes and the umask", () => {
  using home = tempDir();
  const documents = writeDocuments(home.dir);
  const [one, other] = [release(home.dir, "one"), release(home.dir, "other")];
  writeDebs(one, documents);
  utimesSync(path.join(other, "gantry-linux-x64"), 1, 1);
  chmodSync(path.join(other, "gantry-linux-x64"), 0o700);
  chmodSync(path.join(documents, "completion/_gantry"), 0o600);
  const script = path.join(root, ".ci/deb.ts");
  const words = [process.execPath, "--conditions=gantry-source", script, other, documents];
  execFileSync("sh", ["-c", 'umask 077 && exec "$@"', "sh", ...words]);
  for (const name of names)
    expect(readFileSync(path.join(other, name)).equals(readFileSync(path.join(one, name)))).toBe(true);
  expect(readdirSync(one).toSorted()).toEqual(
    [...names, "gantry-linux-arm64", "gantry-linux-x64"].toSorted(),
  );
});

test("DIS-04: the formula installs the npm package from the release's address, with its checksum", () => {
  using home = tempDir();
  writeFileSync(path.join(home.dir, "gantry-0.1.0.tgz"), "package");
  writeFormula(home.dir, "https://downloads.example/gantry");
  const text = readFileSync(path.join(home.dir, "gantry.rb"), "utf8");
  expect(text).toContain('  url "https://downloads.example/gantry/gantry-0.1.0.tgz"\n');
  expect(text).toContain(`  sha256 "${createHash("sha256").update("package").digest("hex")}"\n`);
  expect(text).toContain('  depends_on "node"\n');
});

test.each([
  "http://downloads.example/",
  "downloads",
  "https://me:secret@downloads.example/",
  "https://a.example/#{x}",
])("DIS-04: no formula is written for an address that is not plain https: %s", (address) => {
  using home = tempDir();
  writeFileSync(path.join(home.dir, "gantry-0.1.0.tgz"), "package");
  expect(() => writeFormula(home.dir, address)).toThrow(/GANTRY_RELEASE_URL/);
  expect(existsSync(path.join(home.dir, "gantry.rb"))).toBe(false);
});
