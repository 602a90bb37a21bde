import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Place, begin, place, undo } from "./layers.test-kit.ts";
import { linux } from "./sandbox.test-kit.ts";
import { treeOf } from "./view.test-kit.ts";
import { namesOf } from "./view/judge.ts";
import { RunFolder } from "./view/run-folder.ts";
import { inGit } from "./workspace/git-directory.ts";

/** Has a run leave what `change` makes in its layer; returns its id. */
function run(here: Place, change: (upper: string) => void): string {
  const { id, upper } = begin(here);
  change(upper);
  here.keeper.take(id);
  return id;
}

const modeOf = (at: string): number => statSync(at).mode & 0o777;

/** Has a run close the owner's folder `d`; returns its id. */
function closesFolder(here: Place): string {
  mkdirSync(path.join(here.workspace, "d"), { mode: 0o755 });
  const { id } = begin(here);
  const folder = RunFolder.find(here.runs, id)!;
  folder.decide({ steps: [{ do: "mode", at: "d", mode: 0o700, was: 0o755 }], kept: [] });
  folder.write({ ...folder.read()!, service: "1-gone" });
  here.keeper.recover();
  return id;
}

test.runIf(linux)("RUN-05: undo changes no mode through a link that has the folder's name by now", () => {
  using here = place();
  const secret = path.join(here.runs, "owners");
  writeFileSync(secret, "x");
  chmodSync(secret, 0o700);
  const id = closesFolder(here);
  expect(modeOf(path.join(here.workspace, "d"))).toBe(0o700);
  rmSync(path.join(here.workspace, "d"), { recursive: true });
  symlinkSync(secret, path.join(here.workspace, "d"));
  expect(undo(here, id)).toEqual(["d"]);
  expect(modeOf(secret)).toBe(0o700);
});

test.runIf(linux)("RUN-05: undo leaves a mode that the owner has given a folder since", () => {
  using here = place();
  const id = closesFolder(here);
  chmodSync(path.join(here.workspace, "d"), 0o750);
  expect(undo(here, id)).toEqual(["d"]);
  expect(modeOf(path.join(here.workspace, "d"))).toBe(0o750);
});

test.runIf(linux)("RUN-05: undo takes a folder's mode back", () => {
  using here = place();
  const id = closesFolder(here);
  expect(undo(here, id)).toEqual([]);
  expect(modeOf(path.join(here.workspace, "d"))).toBe(0o755);
});

/** Makes a project, as a run does. */
const makes = (upper: string): void => {
  mkdirSync(path.join(upper, "p/src/deep"), { recursive: true });
  for (const name of ["p/a", "p/b", "p/src/c", "p/src/deep/d"]) writeFileSync(path.join(upper, name), "run");
};

test.runIf(linux)("RUN-05: undo takes from a new folder only what its owner has not changed since", () => {
  using here = place();
  const id = run(here, makes);
  writeFileSync(path.join(here.workspace, "p/mine"), "days of work");
  writeFileSync(path.join(here.workspace, "p/src/c"), "own");
  expect(undo(here, id).toSorted()).toEqual(["p", "p/mine", "p/src", "p/src/c"]);
  expect(treeOf(here.workspace)).toEqual({
    "p/": "",
    "p/mine": "days of work",
    "p/src/": "",
    "p/src/c": "own",
  });
});

test.runIf(linux)("RUN-05: undo leaves older folders that the owner moved into the place of a run's", () => {
  using here = place();
  using elsewhere = place();
  for (const at of ["p", "p/src"]) {
    const id = run(here, makes);
    const backup = mkdtempSync(path.join(elsewhere.workspace, "b-"));
    writeFileSync(path.join(backup, "years"), "of work");
    rmSync(path.join(here.workspace, at), { recursive: true });
    renameSync(backup, path.join(here.workspace, at));
    expect(undo(here, id)).toContain(at);
    expect(treeOf(here.workspace)[`${at}/years`]).toBe("of work");
    rmSync(path.join(here.workspace, "p"), { recursive: true });
  }
});

/**
 * Links `link` to what looks in the layer like the owner's file of that name, which has several.
 */
function linksOwners(here: Place, name: string): string {
  const own = path.join(here.workspace, name);
  writeFileSync(own, "the owner's");
  linkSync(own, path.join(here.runs, "further"));
  const { mode, atimeMs, mtimeMs } = statSync(own);
  utimesSync(own, atimeMs / 1_000, Math.floor(mtimeMs / 1_000));
  return run(here, (upper) => {
    const copied = path.join(upper, name);
    writeFileSync(copied, "the owner's");
    chmodSync(copied, mode);
    utimesSync(copied, atimeMs / 1_000, Math.floor(mtimeMs / 1_000));
    linkSync(copied, path.join(upper, "link"));
  });
}

test.runIf(linux)("RUN-05: undo takes back a further name of the owner's file", () => {
  using here = place();
  const id = linksOwners(here, "f");
  const inode = (name: string): number => statSync(path.join(here.workspace, name)).ino;
  expect(inode("link")).toBe(inode("f"));
  expect(undo(here, id)).toEqual([]);
  expect(treeOf(here.workspace)).toEqual({ f: "the owner's" });
});

test.runIf(linux)("RUN-02: no secret file gets a further name, whatever a layer has in its place", () => {
  using here = place();
  linksOwners(here, ".env");
  const names = Object.keys(treeOf(here.workspace)).filter((name) => name !== ".env");
  const inodes = names.map((name) => statSync(path.join(here.workspace, name)).ino);
  expect(inodes).not.toContain(statSync(path.join(here.workspace, ".env")).ino);
});

const EVIL = "[core]\n\tfsmonitor = evil\n";

test.runIf(linux)(
  "RUN-02: a folder does not become a repository over settings an earlier run brought",
  () => {
    using here = place();
    run(here, (upper) => {
      mkdirSync(path.join(upper, "lib/hooks"), { recursive: true });
      writeFileSync(path.join(upper, "lib/config"), EVIL);
      writeFileSync(path.join(upper, "lib/hooks/pre-commit"), "evil");
    });
    expect(treeOf(here.workspace)["lib/config"]).toBe(EVIL);
    run(here, (upper) => {
      for (const name of ["objects", "refs"]) mkdirSync(path.join(upper, "lib", name), { recursive: true });
      writeFileSync(path.join(upper, "lib/HEAD"), "ref: refs/heads/main\n");
      // Not even if the run has settings of its own that are harmless.
      writeFileSync(path.join(upper, "lib/config"), "[core]\n\tbare = true\n");
    });
    const names = Object.keys(treeOf(here.workspace));
    expect(names.filter((at) => /HEAD|objects|refs/.test(at))).toEqual([]);
  },
);

test.runIf(linux)("RUN-02: no runs make a repository with guarded files of them, in whatever order", () => {
  const name = fc.constantFrom(
    "a",
    "config",
    "hooks",
    "HEAD",
    "objects",
    "refs",
    "commondir",
    "rebase-merge",
  );
  const file = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
  const files = fc.array(file, { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(fc.array(files, { minLength: 2, maxLength: 4 }), (runs) => {
      using here = place();
      for (const one of runs) run(here, (upper) => one.forEach((at) => tryWrite(path.join(upper, at))));
      const { guarded } = namesOf(here.workspace, here.lists);
      const found = Object.keys(treeOf(here.workspace)).filter((at) => !at.endsWith("/"));
      expect(found.filter((at) => guarded(inGit(here.workspace, at) ?? "-"))).toEqual([]);
    }),
    { numRuns: 80 },
  );
});

function tryWrite(file: string): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, EVIL, { flag: "wx" });
  } catch {
    // A part of its path is a file by now.
  }
}

test.runIf(linux && existsSync("/dev/shm"))(
  "RUN-05: undo of a folder on another file system takes all of it back",
  () => {
    using here = place("/dev/shm");
    const id = run(here, makes);
    expect(undo(here, id)).toEqual([]);
    expect(treeOf(here.workspace)).toEqual({});
  },
);

test.runIf(linux)("RUN-01: only a layer in which nothing was left is the next run's too", () => {
  using here = place();
  const next = (again: string): string => {
    here.keeper.tidy();
    const said = here.keeper.begin(["true"], again);
    return "view" in said ? said.view.id : "none";
  };
  const first = run(here, () => undefined);
  expect(next(first)).toBe(first);
  here.keeper.take(first);
  expect(next("00000000")).not.toBe(first);
  mkdirSync(path.join(here.workspace, "d"), { mode: 0o700 });
  // As the overlay leaves a folder in which something was made and removed again.
  const used = run(here, (upper) => mkdirSync(path.join(upper, "d"), { mode: 0o700 }));
  expect(next(used)).not.toBe(used);
});
