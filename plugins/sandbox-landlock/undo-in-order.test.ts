import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Place, begin, place, prepare, undo } from "./layers.test-kit.ts";
import { linux, startSandbox } from "./sandbox.test-kit.ts";
import { treeOf } from "./view.test-kit.ts";
import { RunFolder } from "./view/run-folder.ts";

type Change = readonly [name: string, text: string | null];

/** Has a run leave these texts in its layer, and take away what has none; returns its id. */
function run(here: Place, changes: readonly Change[]): string {
  const { id, upper } = begin(here);
  for (const [name, text] of changes) {
    const at = path.join(upper, name);
    mkdirSync(path.dirname(at), { recursive: true });
    if (text === null) execFileSync("mknod", [at, "c", "0", "0"]);
    else writeFileSync(at, text);
  }
  here.keeper.take(id);
  return id;
}

const name = fc.constantFrom("f", "g", "d/x", "d/new", "p/a", "p/in/b");
const text = fc.oneof({ weight: 3, arbitrary: fc.string({ maxLength: 3 }) }, fc.constant(null));
const changes = fc.uniqueArray(fc.tuple(name, text), { minLength: 1, maxLength: 4, selector: ([at]) => at });

test.runIf(linux)("RUN-05: runs are undone one after another, the last first, each of them whole", () => {
  fc.assert(
    fc.property(fc.array(changes, { minLength: 2, maxLength: 4 }), (runs) => {
      using here = place();
      prepare(here);
      const done = runs.map((one, at) => ({
        before: filesOf(here),
        id: run(here, [...one, [`own${at}`, "x"]]),
      }));
      for (const { before, id } of done.toReversed()) {
        expect(undo(here, id)).toEqual([]);
        expect(filesOf(here)).toEqual(before);
      }
    }),
    { numRuns: 60 },
  );
});

/** Returns files without folders: a folder that a run emptied stays. */
function filesOf({ workspace }: Place): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(treeOf(workspace)).filter(([at]) => !at.endsWith("/")));
}

/** Makes two runs that write one file; the second one is undone. */
function secondUndone(here: Place): string {
  prepare(here);
  const first = run(here, [["f", "first"]]);
  expect(undo(here, run(here, [["f", "later"]]))).toEqual([]);
  return first;
}

test.runIf(linux)("RUN-05: what the owner changed after a later run was undone stays", () => {
  using here = place();
  const id = secondUndone(here);
  const file = path.join(here.workspace, "f");
  const { atime, mtime } = statSync(file);
  writeFileSync(file, "owner");
  // The file now has the size and the time of the one that the run left.
  utimesSync(file, atime, mtime);
  expect(undo(here, id)).toEqual(["f"]);
  expect(filesOf(here)["f"]).toBe("owner");
});

test.runIf(linux)("RUN-05: what was given back and then given another mode stays", () => {
  using here = place();
  const id = secondUndone(here);
  chmodSync(path.join(here.workspace, "f"), 0o600);
  expect(undo(here, id)).toEqual(["f"]);
});

test.runIf(linux)(
  "RUN-05: a file of a run can be undone after a later run's further name of it",
  async () => {
    await using kit = await startSandbox();
    for (const command of ["echo first > f", "ln f g"]) await kit.run(command);
    const ids = RunFolder.all(kit.layers).map(({ id }) => id);
    expect(ids).toHaveLength(2);
    for (const id of ids) expect(undo({ ...kit, runs: kit.layers }, id)).toEqual([]);
    expect(treeOf(kit.workspace)).toEqual({});
  },
);
