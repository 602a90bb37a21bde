import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { once } from "node:events";
import { expect, test } from "vitest";
import { type Place, begin, beginFolder, place, prepare, undo } from "./layers.test-kit.ts";
import { linux } from "./sandbox.test-kit.ts";
import { copy, removeAny, renameOrCopy } from "./view/copies.ts";
import { namesOf } from "./view/judge.ts";
import { decide, finish, planFor } from "./view/take-over.ts";
import { treeOf } from "./view.test-kit.ts";

/** Layers lie on another file system than the workspace, if there is one. */
const other = "/dev/shm";
const hasTwo = linux && existsSync(other);

/** Gives a run's layer files of these MiB, in which nothing is written. */
function run(here: Place, files: Readonly<Record<string, number>>): readonly string[] {
  const { id, upper } = begin(here);
  for (const [name, mb] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(upper, name)), { recursive: true });
    writeFileSync(path.join(upper, name), "");
    truncateSync(path.join(upper, name), mb * 1_048_576);
  }
  return here.keeper.take(id).findings;
}

test.runIf(hasTwo)("SBX-09: a copy on another file system counts with its holes", () => {
  using here = place(other);
  const { diskMb } = here.facts;
  const told = run(here, { huge: 100 * diskMb, "d/e/large": diskMb + 1, small: 1 });
  expect(Object.keys(treeOf(here.workspace))).toEqual(["small"]);
  expect(told.join()).toMatch(
    /not taken over: (d|huge) .*max_disk_mb.*not taken over: (d|huge) .*max_disk_mb/,
  );
});

test.runIf(hasTwo)("SBX-09: many files of one run count together where they are copied", () => {
  using here = place(other);
  const most = here.facts.diskMb / 2 + 1;
  expect(run(here, { a: most, b: most, c: most })).toHaveLength(2);
  expect(Object.keys(treeOf(here.workspace))).toHaveLength(1);
});

test.runIf(hasTwo)("SBX-09: what a run removed stays if no copy of it can be kept", () => {
  using here = place(other);
  prepare(here);
  truncateSync(path.join(here.workspace, "d/x"), 2 * here.facts.diskMb * 1_048_576);
  const { id, upper } = begin(here);
  writeFileSync(path.join(upper, "d"), "a file by now");
  expect(here.keeper.take(id).findings.join()).toContain("max_disk_mb");
  expect(statSync(path.join(here.workspace, "d")).isDirectory()).toBe(true);
  expect(readFileSync(path.join(here.workspace, `d.from-run-${id}`), "utf8")).toBe("a file by now");
});

test.runIf(linux)("SBX-09: where there is one file system nothing is copied, so nothing is counted", () => {
  using here = place();
  expect(run(here, { huge: 2 * here.facts.diskMb })).toEqual([]);
});

test.runIf(hasTwo)("RUN-05: a copy that breaks off leaves nothing at its name", () => {
  using here = place(other);
  const [from, to] = [path.join(here.workspace, "d"), path.join(here.runs, "copy")];
  mkdirSync(from);
  writeFileSync(path.join(from, "a"), "whole");
  execFileSync("mkfifo", [path.join(from, "pipe")]);
  expect(() => renameOrCopy(from, to)).toThrow("a pipe");
  expect([existsSync(to), readdirSync(here.runs), readdirSync(from)]).toEqual([false, [], ["a", "pipe"]]);
});

test.runIf(hasTwo)("RUN-05: a file of which no copy can be kept is not replaced, and undo leaves it", () => {
  using here = place(other);
  prepare(here);
  const [folder, record] = beginFolder(here);
  writeFileSync(path.join(folder.upper, "f"), "is f");
  const names = { ...namesOf(here.workspace, here.lists), followed: () => false, open: [] };
  decide(folder, record, planFor(folder, record, names));
  const { old } = folder.places(here.workspace);
  rmSync(old, { recursive: true });
  writeFileSync(old, "no folder");
  expect(finish(folder, record, here.workspace).kept.map(({ at }) => at)).toEqual(["f"]);
  rmSync(old);
  mkdirSync(old);
  expect(undo(here, folder.id)).toEqual(["f"]);
  expect(treeOf(here.workspace)).toMatchObject({ f: "was f" });
  expect(readdirSync(here.workspace).toSorted()).toEqual(["d", "f", "g"]);
});

/** Puts a link in the place of a file, or of a folder, again and again. */
const SWAPS = `
const { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } = require("node:fs");
const { parentPort, workerData: { at, outside } } = require("node:worker_threads");
mkdirSync(at + "/real");
writeFileSync(at + "/real/in", "own");
parentPort.postMessage("up");
for (;;) {
  writeFileSync(at + "/next", "own");
  renameSync(at + "/next", at + "/file");
  renameSync(at + "/real", at + "/folder");
  symlinkSync(outside + "/in", at + "/next");
  renameSync(at + "/next", at + "/file");
  renameSync(at + "/folder", at + "/real");
  symlinkSync(outside, at + "/folder");
  rmSync(at + "/folder");
}`;
const COPIES = 3_000;

test.runIf(linux)("RUN-02: no copy holds what a link leads to that took a file's place", async () => {
  using here = place();
  const [at, outside] = [path.join(here.workspace, "at"), path.join(here.runs, "outside")];
  const copies = path.join(here.runs, "copies");
  for (const folder of [at, outside, copies]) mkdirSync(folder);
  writeFileSync(path.join(outside, "in"), "PRIVATE");
  const worker = new Worker(SWAPS, { eval: true, workerData: { at, outside } });
  try {
    await once(worker, "message");
    const copied = new Set<string>();
    for (let time = 0; time < COPIES; time++)
      for (const name of ["file", "folder"]) {
        const to = path.join(copies, "copy");
        try {
          copy(path.join(at, name), to);
          for (const one of Object.values(treeOf(copies))) copied.add(one);
        } catch {
          // It has gone, or is a link by now.
        }
        removeAny(to);
      }
    expect(copied).toContain("own");
    expect(copied).not.toContain("PRIVATE");
  } finally {
    await worker.terminate();
  }
});
