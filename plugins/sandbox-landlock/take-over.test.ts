import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, linkSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { begin, beginFolder, place, prepare } from "./layers.test-kit.ts";
import { linux } from "./sandbox.test-kit.ts";
import { namesOf } from "./view/judge.ts";
import { exchange } from "./view/attributes.ts";
import { Keeper } from "./view/keeper.ts";
import { RunFolder } from "./view/run-folder.ts";
import { doSteps } from "./view/steps.ts";
import { decide, finish, planFor } from "./view/take-over.ts";
import { undoSteps } from "./view/undo.ts";
import { treeOf } from "./view.test-kit.ts";

const isRoot = process.getuid?.() === 0;

test.runIf(linux)("RUN-02: devices, set-id files and files with names elsewhere stay in the layer", () => {
  using here = place();
  const { id, upper } = begin(here);
  writeFileSync(path.join(here.runs, "elsewhere"), "x");
  linkSync(path.join(here.runs, "elsewhere"), path.join(upper, "linked"));
  for (const [name, mode] of [
    ["suid", 0o4755],
    ["sgid", 0o2755],
    ["plain", 0o755],
  ] as const) {
    writeFileSync(path.join(upper, name), "x");
    chmodSync(path.join(upper, name), mode);
  }
  execFileSync("mkfifo", [path.join(upper, "pipe")]);
  if (isRoot) execFileSync("mknod", [path.join(upper, "null"), "c", "1", "3"]);
  const told = here.keeper.take(id).findings;
  expect(readdirSync(here.workspace)).toEqual(["plain"]);
  expect(told).toHaveLength(isRoot ? 5 : 4);
});

test.runIf(linux)("RUN-02: no name that is secret or guarded is taken over, however deep it lies", () => {
  const name = fc.constantFrom(
    ".env",
    ".ENV",
    ".envrc",
    ".env~",
    "a",
    "b",
    ".git",
    "config",
    "hooks",
    "HEAD",
    "objects",
    "refs",
  );
  const file = fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => names.join("/"));
  fc.assert(
    fc.property(fc.array(file, { minLength: 1, maxLength: 12 }), (files) => {
      using here = place();
      const { id, upper } = begin(here);
      for (const one of files) {
        try {
          mkdirSync(path.dirname(path.join(upper, one)), { recursive: true });
          writeFileSync(path.join(upper, one), "[core]\n\tfsmonitor = evil\n", { flag: "wx" });
        } catch {
          // One of them is a folder by now.
        }
      }
      here.keeper.take(id);
      const { secret, guarded } = namesOf(here.workspace, here.lists);
      const found = Object.keys(treeOf(here.workspace)).filter((at) => !at.endsWith("/"));
      expect(found.filter((at) => secret(at) || guarded(at) || path.basename(at) === ".git")).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

/** Writes the changes of a run to its layer. */
function change(upper: string): void {
  writeFileSync(path.join(upper, "f"), "is f");
  mkdirSync(path.join(upper, "new/deep"), { recursive: true });
  writeFileSync(path.join(upper, "new/deep/file"), "is new");
  symlinkSync("f", path.join(upper, "link"));
  mkdirSync(path.join(upper, "d"));
  writeFileSync(path.join(upper, "d/x"), "is x");
}

/** Writes the record as if the service that began the run had gone. */
function forgetService(folder: RunFolder): void {
  folder.write({ ...folder.read()!, service: "1-gone" });
}

const expected = {
  "d/": "",
  "d/x": "is x",
  f: "is f",
  g: "was g",
  link: "-> f",
  "new/": "",
  "new/deep/": "",
  "new/deep/file": "is new",
};
const CHANGES = 4;

/** Folders for layers: on the file system of the workspace, and on another. */
const bases = [tmpdir(), "/dev/shm"].filter((at) => existsSync(at));

for (const base of bases)
  test.runIf(linux)(
    `RUN-01: a service killed while it takes over goes on at its next start, with layers in ${base}`,
    () => {
      for (let done = 0; done <= CHANGES; done++)
        for (const half of [false, true]) {
          using here = place(base);
          prepare(here);
          const [folder, record] = beginFolder(here);
          const { upper } = folder;
          change(upper);
          const names = { ...namesOf(here.workspace, here.lists), followed: () => false, open: [] };
          decide(folder, record, planFor(folder, record, names));
          const { steps } = folder.plan!;
          expect(steps).toHaveLength(CHANGES);
          doSteps(folder.places(here.workspace), steps.slice(0, done));
          const next = steps[done];
          if (half && next?.do === "put" && next.was && base === tmpdir())
            exchange(path.join(upper, next.at), path.join(here.workspace, next.at));
          forgetService(folder);
          new Keeper(here.facts).recover();
          expect(treeOf(here.workspace)).toEqual(expected);
          undoSteps(folder.places(here.workspace), steps, folder.read()!.done!);
          expect(treeOf(here.workspace)).toEqual({ "d/": "", "d/x": "was d/x", f: "was f", g: "was g" });
        }
    },
  );

test.runIf(linux)("RUN-01: a service killed before it decided leaves the workspace as it was", () => {
  using here = place();
  const { id, upper } = begin(here);
  writeFileSync(path.join(upper, "new"), "x");
  forgetService(RunFolder.find(here.runs, id)!);
  new Keeper(here.facts).recover();
  expect([readdirSync(here.workspace), readdirSync(here.runs)]).toEqual([[], []]);
});

test.runIf(linux)("RUN-03: what the owner saves between judging and taking over stays", () => {
  using here = place();
  prepare(here);
  const [folder, record] = beginFolder(here);
  const { id } = folder;
  change(folder.upper);
  const names = { ...namesOf(here.workspace, here.lists), followed: () => false, open: [] };
  decide(folder, record, planFor(folder, record, names));
  writeFileSync(path.join(here.workspace, "f"), "the owner's");
  writeFileSync(path.join(here.workspace, "link"), "the owner's");
  const { kept } = finish(folder, record, here.workspace);
  expect(kept.map(({ beside }) => beside)).toEqual([`f.from-run-${id}`, `link.from-run-${id}`]);
  expect(treeOf(here.workspace)).toMatchObject({
    f: "the owner's",
    [`f.from-run-${id}`]: "is f",
    link: "the owner's",
    [`link.from-run-${id}`]: "-> f",
    "d/x": "is x",
  });
});
