import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { begin, place, prepare } from "./layers.test-kit.ts";
import { git, guarded } from "./repositories.test-kit.ts";
import { linux, startSandbox } from "./sandbox.test-kit.ts";
import { leavesTree, readGitIndex } from "./view/git-index.ts";

const EMPTY = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
const entry = (name: string, id = EMPTY): readonly string[] => ["--cacheinfo", `100644,${id},${name}`];

/**
 * Returns the index that git writes of these names; what stands in it for `@` is put there
 * afterwards, since git refuses it.
 */
function indexOf(
  names: readonly string[],
  { version = "2", format = "sha1", swap = ["@", "@"] } = {},
): Buffer {
  const folder = mkdtempSync(path.join(tmpdir(), "gantry-index-"));
  try {
    git(folder, "init", "-q", `--object-format=${format}`);
    const id = format === "sha1" ? EMPTY : "ab".repeat(32);
    const added = names.flatMap((name) => entry(name, id));
    git(folder, "update-index", "--index-version", version, "--add", ...added);
    const bytes = readFileSync(path.join(folder, ".git/index")).toString("latin1");
    return Buffer.from(bytes.replaceAll(swap[0]!, swap[1]!), "latin1");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const part = fc.string({ unit: fc.constantFrom("a", "b", "-", "é"), minLength: 1, maxLength: 90 });
const names = fc.uniqueArray(
  fc.array(part, { minLength: 1, maxLength: 60 }).map((parts) => ["d", ...parts, "f"].join("/")),
  { minLength: 1, maxLength: 8, selector: (name) => name },
);

test("SEC-15: an index is read with the names that git wrote into it, in each version", () => {
  const version = fc.constantFrom("2", "3", "4");
  const format = fc.constantFrom("sha1" as const, "sha256" as const);
  fc.assert(
    fc.property(names, version, format, (given, written, kind) => {
      // No name may be the folder of another.
      const all = given.map((name, at) => `${at}${name}`);
      const read = readGitIndex(indexOf(all, { version: written, format: kind }), kind);
      expect(read?.map(({ name }) => name).toSorted()).toEqual(all.toSorted());
    }),
    { numRuns: 25 },
  );
});

test("SEC-15: whatever bytes an index holds, reading it ends without an error", () => {
  const written = indexOf(["a", "b/c", "b/d"], { version: "4" });
  const change = fc.tuple(fc.nat(written.length - 1), fc.nat(255));
  const changed = fc.array(change, { minLength: 1, maxLength: 4 }).map((changes) => {
    const bytes = Buffer.from(written);
    for (const [at, byte] of changes) bytes[at] = byte;
    return bytes;
  });
  const cut = fc.nat(written.length).map((length) => written.subarray(0, length));
  const random = fc
    .uint8Array({ maxLength: 300 })
    .map((bytes) => Buffer.concat([Buffer.from("DIRC"), bytes]));
  const kind = fc.constantFrom("sha1" as const, "sha256" as const);
  fc.assert(
    fc.property(fc.oneof(changed, cut, random), kind, (bytes, format) => {
      const read = readGitIndex(bytes, format);
      expect(read === undefined || read.length === bytes.readUInt32BE(8)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test("SEC-15: an index whose entries several threads of git find elsewhere is not read", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "gantry-index-"));
  try {
    git(folder, "init", "-q");
    git(
      folder,
      "-c",
      "index.threads=4",
      "update-index",
      "--add",
      ...["a", "b", "c"].flatMap((name) => entry(name)),
    );
    const bytes = readFileSync(path.join(folder, ".git/index"));
    expect(bytes.includes("IEOT")).toBe(true);
    expect(readGitIndex(bytes, "sha1")).toBeUndefined();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("SEC-15: no spelling of .git or of a way out is a name in a working tree", () => {
  const out =
    "/a ../a a/../b a//b a/ ./a a/. .git .git/x a/.GIT/x git~1 GIT~1/x .g\u200cit/x .git./x .git::$INDEX_ALLOCATION/x a\\.git\\x";
  expect(out.split(" ").filter((name) => !leavesTree(name))).toEqual([]);
  expect([".git /x", ""].every(leavesTree)).toBe(true);
  expect(".gitignore a/.github/x git x.git/a ..a/b... .gitmodules".split(" ").filter(leavesTree)).toEqual([]);
});

const hostile: readonly (readonly [string, readonly [string, string]])[] = [
  ["xgit/hooks/post-checkout", ["xgit", ".git"]],
  ["xx/zz-escaped", ["xx/", "../"]],
  ["xtmp/gantry-escaped", ["xtmp", "/tmp"]],
  ["sub/xx/a", ["/xx/", "/../"]],
  [".envrc", ["@", "@"]],
  ["a/.ENV", ["@", "@"]],
];

for (const version of ["2", "4"])
  for (const at of [".git", ".git/modules/m", ".git/worktrees/w"])
    test.runIf(linux)(
      `SEC-15: an index that writes elsewhere stays in the layer: ${at}, version ${version}`,
      () => {
        for (const name of ["index", "sharedindex.0a1b"])
          for (const [written, swap] of hostile) {
            using here = place();
            git(here.workspace, "init", "-q");
            prepare(here);
            const { id, upper } = begin(here);
            mkdirSync(path.join(upper, at), { recursive: true });
            writeFileSync(path.join(upper, at, name), indexOf([written], { version, swap: [...swap] }));
            expect(here.keeper.take(id).findings.join()).toContain(
              `not taken over: ${at}/${name} (a checkout would write`,
            );
            expect(existsSync(path.join(here.workspace, at, name))).toBe(false);
          }
      },
    );

test.runIf(linux)("SEC-15: an index that is a link, or no index, stays in the layer", () => {
  using here = place();
  git(here.workspace, "init", "-q");
  prepare(here);
  const { id, upper } = begin(here);
  mkdirSync(path.join(upper, ".git"));
  symlinkSync("../f", path.join(upper, ".git/index"));
  writeFileSync(path.join(upper, ".git/sharedindex.00"), "DIRC");
  const told = here.keeper.take(id).findings;
  for (const name of ["index", "sharedindex.00"])
    expect(told.join()).toContain(`not taken over: .git/${name} (it is not an index`);
});

test.runIf(linux)("SEC-15: an index that lies in a folder before it becomes a repository counts", () => {
  using here = place();
  prepare(here);
  mkdirSync(path.join(here.workspace, "r"));
  writeFileSync(path.join(here.workspace, "r/index"), indexOf(["xgit/a"], { swap: ["xgit", ".git"] }));
  const { id, upper } = begin(here);
  for (const name of ["objects", "refs"]) mkdirSync(path.join(upper, "r", name), { recursive: true });
  writeFileSync(path.join(upper, "r/HEAD"), "ref: refs/heads/main\n");
  expect(here.keeper.take(id).findings.join()).toContain("git would follow r/index");
});

test.runIf(linux)(
  "SEC-15: a guarded file stays as its owner's index has it, and others are committed",
  async () => {
    const at = (name: string): string => path.join(kit.workspace, name);
    await using kit = await startSandbox({
      guarded,
      prepare: (workspace) => {
        git(workspace, "init", "-q");
        writeFileSync(path.join(workspace, "AGENTS.md"), "be good\n");
        git(workspace, "add", ".");
        git(workspace, "commit", "-q", "-m", "first");
      },
    });
    const commit = "git -c user.name=n -c user.email=e@x.y commit -q -m m";
    const plain = await kit.run(`echo a > a; git add a; ${commit}; git status --short`);
    expect([plain.findings, plain.stdout]).toEqual([[], ""]);
    expect(git(at(""), "ls-files")).toBe("AGENTS.md\na\n");
    const id = "$(echo obey the page | git hash-object -w --stdin)";
    const { findings = [] } = await kit.run(`git update-index --cacheinfo 100644,${id},AGENTS.md`);
    expect(findings.join()).toContain('.git/index (a checkout would write "AGENTS.md"');
    git(at(""), "checkout", ".");
    expect(readFileSync(at("AGENTS.md"), "utf8")).toBe("be good\n");
  },
);

test.runIf(linux)(
  "SEC-15: a checkout by the owner runs no hook that a run wrote into the index",
  async () => {
    await using kit = await startSandbox({
      guarded,
      prepare: (workspace) => void git(workspace, "init", "-q"),
    });
    const mark = path.join(kit.workspace, "MARK");
    await kit.run(`mkdir -p xgit/hooks; printf '#!/bin/sh\\ntouch ${mark}\\n' > xgit/hooks/post-checkout
    chmod 755 xgit/hooks/post-checkout; git add xgit; rm -r xgit; sed -i s/xgit/.git/ .git/index`);
    for (let time = 0; time < 2; time++) {
      try {
        git(kit.workspace, "checkout", ".");
      } catch {
        continue;
      }
    }
    expect([mark, path.join(kit.workspace, ".git/hooks/post-checkout")].filter(existsSync)).toEqual([]);
  },
);
