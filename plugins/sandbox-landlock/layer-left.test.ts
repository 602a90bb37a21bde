import { chmodSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { begin, beginFolder, place } from "./layers.test-kit.ts";
import { linux, startSandbox } from "./sandbox.test-kit.ts";
import { treeOf } from "./view.test-kit.ts";
import { Keeper } from "./view/keeper.ts";
import { readLayer } from "./view/upper.ts";

/** Makes folders within folders, deeper than any path is long. */
const deepIn = (at: string): void =>
  void execFileSync("perl", ["-e", 'for (1..3000) { mkdir "dd"; chdir "dd" } open F, ">x"'], { cwd: at });

test.runIf(linux)("RUN-01: what a run removed within folders that it made again is gone", async () => {
  await using kit = await startSandbox({
    prepare: (at) =>
      void execFileSync(
        "/bin/bash",
        ["-c", "mkdir -p dist/js/in; echo old | tee dist/js/old dist/js/in/old"],
        {
          cwd: at,
        },
      ),
  });
  const { findings } = await kit.run("rm -rf dist; mkdir -p dist/js/in; echo new > dist/js/in/new");
  const js = { "dist/": "", "dist/js/": "", "dist/js/in/": "", "dist/js/in/new": "new\n" };
  expect([treeOf(kit.workspace), findings]).toEqual([js, []]);
});

test.runIf(linux)("RUN-01: a run that closes the workspace's own folder loses nothing of its work", () => {
  using here = place();
  const { id, upper } = begin(here);
  writeFileSync(path.join(upper, "new"), "new");
  chmodSync(upper, 0);
  expect(here.keeper.take(id).findings).toEqual([]);
  expect(statSync(upper).mode & 0o777).toBe(0o700);
  expect(treeOf(here.workspace)).toEqual({ new: "new" });
});

test.runIf(linux)("RUN-01: a layer whose root cannot be read is told of", () => {
  using here = place();
  const { id, upper } = begin(here);
  execFileSync("rmdir", [upper]);
  writeFileSync(upper, "");
  expect(here.keeper.take(id).findings[0]).toContain("it could not be looked at");
  expect(() => readLayer(upper)).toThrow("cannot be read");
});

test.runIf(linux)("RUN-07: a layer deeper than any path is long is removed", () => {
  using here = place();
  const [folder] = beginFolder(here);
  deepIn(folder.upper);
  folder.remove();
  expect(readdirSync(here.runs)).toEqual([]);
});

test.runIf(linux)("RUN-07: a layer that cannot be removed spoils no other, and is told of", () => {
  using here = place();
  const layers = [1, 2, 3].map(() => beginFolder(here));
  layers.forEach(([folder, record]) => folder.write({ ...record, began: 0, service: "1-gone" }));
  writeFileSync(path.join(here.runs, "00000000"), "not a folder");
  const told = new Keeper(here.facts).recover();
  expect(readdirSync(here.runs)).toEqual(["00000000"]);
  expect(told.join()).toContain("00000000");
});
