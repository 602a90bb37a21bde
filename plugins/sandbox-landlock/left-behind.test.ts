import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { begin, place } from "./layers.test-kit.ts";
import { git, guarded } from "./repositories.test-kit.ts";
import { linux, startSandbox } from "./sandbox.test-kit.ts";

const named = guarded.filter((name) => !name.startsWith(".git/")).map((name) => name.replace("*", "own"));

/** Two commits that change the same line in each of two branches. */
const branches =
  "git init -q -b main r; cd r; git config user.name n; git config user.email e@x.y; " +
  "c() { echo $1 > f; git add f; git commit -qm $1; }; " +
  "c one; git checkout -qb other; c two; git checkout -q main; c three; git checkout -q other";

test.runIf(linux)("SEC-15: nothing by a guarded name is left for whoever works there", async () => {
  await using kit = await startSandbox({ guarded });
  const make = named.map((name, i) => `mkdir -p d${i}/$(dirname ${name}); echo evil > d${i}/${name}`);
  const { findings = [] } = await kit.run(make.join("\n"));
  const left = named.filter((name, i) => existsSync(path.join(kit.workspace, `d${i}`, name)));
  expect(left).toEqual([]);
  expect(findings.at(-1)).toBe(`and ${named.length - findings.length + 1} more`);
});

test.runIf(linux)(
  "SEC-15: a rebase that would start a program is not left to go on with, a plain one is",
  async () => {
    await using kit = await startSandbox({ guarded });
    const state = path.join(kit.workspace, "r/.git/rebase-merge");
    const stopped = await kit.run(`${branches}; git rebase main > /dev/null 2>&1; ls .git/rebase-merge`);
    expect(stopped.stdout).toContain("git-rebase-todo\n");
    expect(stopped.findings).toEqual([]);
    const on = "cd r; echo both > f; git add f; GIT_EDITOR=true git rebase --continue 2>&1";
    expect((await kit.run(on)).stdout).toContain("Successfully rebased");
    expect(existsSync(state)).toBe(false);

    const evil = "cd r; git rebase -q --exec false HEAD~1 2> /dev/null; echo 'exec touch ../MARK' >> ";
    const { findings = [] } = await kit.run(`${evil}.git/rebase-merge/git-rebase-todo`);
    expect(findings.join()).toContain("not taken over: r/.git/rebase-merge/git-rebase-todo");
    const owner = path.join(kit.workspace, "r");
    expect(() => git(owner, "rebase", "--continue")).toThrow("rebase");
    expect(existsSync(path.join(kit.workspace, "MARK"))).toBe(false);
    git(owner, "rebase", "--abort");
    expect(readFileSync(path.join(owner, "f"), "utf8")).toBe("both\n");
  },
);

test.runIf(linux)(
  "SEC-15: options of picks by which git starts a program are left in no case of letters",
  () => {
    using here = place();
    const opts = "r/.git/sequencer/opts";
    mkdirSync(path.join(here.workspace, "r"));
    git(path.join(here.workspace, "r"), "init", "-q");
    mkdirSync(path.dirname(path.join(here.workspace, opts)));
    const taken = (option: string): boolean => {
      const { id, upper } = begin(here);
      mkdirSync(path.dirname(path.join(upper, opts)), { recursive: true });
      writeFileSync(path.join(upper, opts), `[options]\n\t${option}\n`);
      here.keeper.take(id);
      const left = path.join(here.workspace, opts);
      return existsSync(left) && readFileSync(left, "utf8").includes(option);
    };
    expect(["Strategy", "STRATEGY-OPTION", "GPG-sign"].filter((name) => taken(`${name} = evil`))).toEqual([]);
    expect(taken("mainline = 1")).toBe(true);
  },
);
