import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type Place, begin, place } from "./layers.test-kit.ts";
import { git, work } from "./repositories.test-kit.ts";
import { linux } from "./sandbox.test-kit.ts";

/** Makes a repository of the owner's without a working tree of its own, and a linked one. */
function prepare({ workspace }: Place): void {
  git(workspace, "init", "-q", "--bare", "lib.git");
  const tree = git(path.join(workspace, "lib.git"), "mktree").trim();
  const first = git(path.join(workspace, "lib.git"), "commit-tree", "-m", "first", tree).trim();
  git(path.join(workspace, "lib.git"), "worktree", "add", "-q", "../wt", first);
}

/** Has a run write settings by which git makes a file, whose path is returned. */
function writesSettings(here: Place): string {
  const mark = path.join(here.runs, "started");
  const { id, upper } = begin(here);
  mkdirSync(path.join(upper, "lib.git"));
  writeFileSync(path.join(upper, "lib.git/config"), settingsOf(mark));
  here.keeper.take(id);
  return mark;
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
