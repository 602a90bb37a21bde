import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type Place, begin, place, undo } from "./layers.test-kit.ts";
import { git, work } from "./repositories.test-kit.ts";
import { linux } from "./sandbox.test-kit.ts";

/** Names by which git takes `lib.git` for a repository. */
const makers = ["HEAD", "objects", "refs"] as const;

/** Makes a repository of the owner's without a working tree of its own, and a linked one. */
function prepare({ workspace }: Place): void {
  git(workspace, "init", "-q", "--bare", "lib.git");
  const tree = git(path.join(workspace, "lib.git"), "mktree").trim();
  const first = git(path.join(workspace, "lib.git"), "commit-tree", "-m", "first", tree).trim();
  git(path.join(workspace, "lib.git"), "worktree", "add", "-q", "../wt", first);
}

/** Has a run change `lib.git` in its layer; returns its id. */
function run(here: Place, change: (folder: string) => void): string {
  const { id, upper } = begin(here);
  const folder = path.join(upper, "lib.git");
  mkdirSync(folder);
  change(folder);
  here.keeper.take(id);
  return id;
}

const removes = (here: Place, names: readonly string[]): string =>
  run(here, (folder) => {
    for (const name of names) execFileSync("mknod", [path.join(folder, name), "c", "0", "0"]);
  });

/** Has a run write settings by which git makes a file, whose path is returned. */
function writesSettings(here: Place): string {
  const mark = path.join(here.runs, "started");
  run(here, (folder) => writeFileSync(path.join(folder, "config"), settingsOf(mark)));
  return mark;
}

/** Has the clock of the file system, which ticks, go on before the next run. */
function tick({ workspace }: Place): void {
  const { ctimeNs } = lstatSync(path.join(workspace, "lib.git"), { bigint: true });
  while (lstatSync(workspace, { bigint: true }).ctimeNs <= ctimeNs) chmodSync(workspace, 0o700);
}

const settingsOf = (mark: string): string =>
  `[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tfsmonitor = "touch ${mark}; false"\n`;

test.runIf(linux)("RUN-02: a repository whose HEAD is gone keeps its settings guarded", () => {
  using here = place();
  prepare(here);
  execFileSync("rm", [path.join(here.workspace, "lib.git/HEAD")]);
  const mark = writesSettings(here);
  work(path.join(here.workspace, "wt"));
  expect(existsSync(mark)).toBe(false);
});

test.runIf(linux)("RUN-05: undo puts back no settings into what is a repository by now", () => {
  using here = place();
  const mark = path.join(here.runs, "started");
  mkdirSync(path.join(here.workspace, "lib.git/hooks"), { recursive: true });
  writeFileSync(path.join(here.workspace, "lib.git/config"), settingsOf(mark));
  writeFileSync(path.join(here.workspace, "lib.git/hooks/post-checkout"), "evil");
  tick(here);
  const id = removes(here, ["config", "hooks"]);
  execFileSync(
    "mkdir",
    [...makers].map((name) => path.join(here.workspace, "lib.git", name)),
  );
  expect(undo(here, id).toSorted()).toEqual(["lib.git/config", "lib.git/hooks"]);
  expect(existsSync(path.join(here.workspace, "lib.git/config"))).toBe(false);
});

test.runIf(linux)("RUN-05: undo makes no repository around settings that came since", () => {
  using here = place();
  mkdirSync(path.join(here.workspace, "lib.git"));
  writeFileSync(path.join(here.workspace, "lib.git/refs"), "ordinary");
  tick(here);
  const id = removes(here, ["refs"]);
  mkdirSync(path.join(here.workspace, "lib.git/objects"));
  writesSettings(here);
  expect(undo(here, id)).toEqual(["lib.git/refs"]);
});
